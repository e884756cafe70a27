// src/contract/payload.ts
import { z as z2 } from "zod";

// src/internal/abortable.ts
function abortable(promise, signal) {
  if (signal === void 0) return promise.then((value) => value);
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    const settle = () => signal.removeEventListener("abort", onAbort);
    promise.then(
      (value) => {
        settle();
        resolve(value);
      },
      (error) => {
        settle();
        reject(error);
      }
    );
  });
}

// src/internal/clock.ts
var longestTimeoutMs = 2 ** 31 - 1;
var systemClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(delayMs, callback) {
    const due = performance.now() + delayMs;
    let held = true;
    let handle;
    const arm = (remainingMs) => {
      handle = setTimeout(
        () => {
          const leftMs = due - performance.now();
          if (leftMs > 0) arm(leftMs);
          else callback();
        },
        Math.min(Math.ceil(Math.max(0, remainingMs)), longestTimeoutMs)
      );
      if (!held) handle.unref?.();
    };
    arm(delayMs);
    return {
      cancel: () => clearTimeout(handle),
      hold(keepsProcessAlive) {
        held = keepsProcessAlive;
        if (keepsProcessAlive) handle.ref?.();
        else handle.unref?.();
      }
    };
  }
};
function sleep(clock, delayMs, signal) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.setTimer(delayMs, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

// src/internal/json.ts
function parseJson(text2) {
  try {
    return JSON.parse(text2);
  } catch {
    return void 0;
  }
}
var code = (character) => character.charCodeAt(0);
var [quote, backslash] = [code('"'), code("\\")];
var [list, object, endOfList, endOfObject] = [code("["), code("{"), code("]"), code("}")];
function isNestedDeeper(json, levels) {
  if (json.length <= levels) return false;
  let depth = 0;
  let inString = false;
  for (let index = 0; index < json.length && depth <= levels; index++) {
    const byte = json[index];
    if (byte === quote) inString = !inString;
    else if (inString) index += byte === backslash ? 1 : 0;
    else if (byte === list || byte === object) depth++;
    else if (byte === endOfList || byte === endOfObject) depth--;
  }
  return depth > levels;
}
function describeValue(value) {
  if (typeof value === "string") return value;
  try {
    if (value instanceof Error) return value.stack ?? String(value);
    return JSON.stringify(value, (_key, item) => typeof item === "bigint" ? String(item) : item) ?? String(value);
  } catch {
    return safeString(value);
  }
}
function safeString(value) {
  try {
    return String(value);
  } catch {
    return "[unprintable value]";
  }
}

// src/internal/options.ts
import { z } from "zod";
function checkOptions(schema2, value, name = "options") {
  const result = schema2.safeParse(value);
  if (result.success) return result.data;
  const nameOf = (path2) => path2.reduce(joinName, name === "options" ? "" : name) || name;
  throw new TypeError(`${problems(result.error.issues, nameOf).join("; ")}.`);
}
function optionsOf(shape) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => issue.code === "unrecognized_keys" ? notAnOption(issue.keys, known) : `must be an object with ${listed(known)}`
  });
}
function notAnOption(names2, known) {
  const meant = names2.flatMap((name) => nearest(name, known) ?? []);
  const problem = names2.length === 1 ? "is not an option" : "are not options";
  if (meant.length === 0) return `${problem}: there are ${listed(known)}`;
  return `${problem}: did you mean ${listed(meant)}? There are ${listed(known)}`;
}
function option(isValid, must, shown = false) {
  const error = ({ input }) => shown ? `${must}, got ${shortText(input)}` : must;
  return z.custom(isValid, { error });
}
function readBy(read2) {
  return z.unknown().transform((value, context) => {
    try {
      return read2(value);
    } catch (error) {
      context.addIssue(error.message.replace(/^`[^`]*` /, "").replace(/\.$/, ""));
      return z.NEVER;
    }
  });
}
function duration({ least = 0, endless = false } = {}) {
  const isValid = (value) => typeof value === "number" && value >= least && (endless || value !== Number.POSITIVE_INFINITY);
  return option(isValid, `must be a number of milliseconds, ${least || "zero"} or more`, true);
}
var timeLimit = option(
  (value) => typeof value === "number" && value > 0,
  "must be a number of milliseconds, more than 0",
  true
);
function count(least) {
  const isValid = (value) => Number.isInteger(value) && value >= least;
  return option(isValid, `must be a whole number, ${least} or more`, true);
}
function oneOf(names2) {
  const choice = names2.length > 2 ? `one of ${names2.join(", ")}` : names2.map((name) => `'${name}'`).join(" or ");
  return option((value) => names2.includes(value), `must be ${choice}`, true);
}
var text = option((value) => typeof value === "string", "must be text");
var texts = option(
  (value) => isObject(value) && Object.values(value).every((item) => typeof item === "string"),
  "must be an object whose values are all text"
);
function anyObject() {
  return option(isObject, "must be an object");
}
var bool = option((value) => typeof value === "boolean", "must be true or false", true);
var routePath = option(
  (value) => typeof value === "string" && /^\/[^\s?#]*$/.test(value),
  'must be a path that starts with "/"',
  true
);
function functionOf() {
  return option((value) => typeof value === "function", "must be a function");
}
function withMethods(...names2) {
  const isValid = (value) => isObject(value) && names2.every((name) => typeof value[name] === "function");
  return option(isValid, `must have the ${names2.length === 1 ? "method" : "methods"} ${listed(names2)}`);
}
function problems(issues, nameOf) {
  return issues.flatMap((issue) => {
    const { path: path2 } = issue;
    if (issue.code === "unrecognized_keys") {
      return `${issue.keys.map((key) => `\`${nameOf([...path2, key])}\``).join(", ")} ${issue.message}`;
    }
    if (issue.code === "invalid_union") {
      const meant = issue.errors.filter((errors) => errors.every(isFurtherIn));
      if (meant[0] !== void 0 && meant.length === 1) return problems(meant[0], (rest) => nameOf([...path2, ...rest]));
    }
    const must = /^(?:must|has|is|needs) /.test(issue.message);
    return `\`${nameOf(path2)}\` ${must ? issue.message : `is not valid: ${issue.message}`}`;
  });
}
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
function isFurtherIn({ code: code2, path: path2 }) {
  return path2.length > 0 || code2 === "unrecognized_keys";
}
function joinName(name, key) {
  if (typeof key === "number") return `${name}[${key}]`;
  return name === "" ? String(key) : `${name}.${String(key)}`;
}
function listed(names2) {
  return names2.map((name) => `\`${name}\``).join(", ");
}
function shortText(value) {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 80));
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "an array" : "an object";
  return typeof value === "function" ? "a function" : String(value);
}
function nearest(name, known) {
  const text2 = name.toLowerCase();
  const begins = (other) => text2.length > 2 && (other.startsWith(text2) || text2.startsWith(other));
  const distance = (other) => begins(other) ? 1 : editDistance(text2, other);
  const [best] = known.map((other) => ({ other, distance: distance(other.toLowerCase()) })).filter((candidate) => candidate.distance <= Math.min(2, Math.floor(candidate.other.length / 3))).sort((a, b) => a.distance - b.distance);
  return best?.other;
}
function editDistance(from, to) {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (row[column - 1] ?? 0) + (to[column - 1] === letter ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

// src/internal/redact.ts
var redactedMark = "[redacted]";
var shortestSecret = 4;
var wordStart = "(?:(?<![a-z0-9])|(?<=%[0-9a-f]{2}|\\\\[bfnrt]))";
var wordEnd = "(?![a-z0-9])";
var secretName = /pass|pwd|secret|token|credential|cookie|session|authorization|(?:api|access|private|auth)[-_]?key/i;
function isSecret({ key, value, sensitive }) {
  return typeof sensitive === "boolean" ? sensitive : secretName.test(key) || isRandom(value);
}
function isRandom(value) {
  return value.length >= 20 || value.length >= 8 && /[^\p{L}_]/u.test(value);
}
function showsSecret(code2, secrets) {
  const trimmed = Array.from(secrets, (secret) => secret.trim()).filter(({ length }) => length >= shortestSecret);
  return trimmed.includes(code2) || createRedact(trimmed.filter(isRandom))(code2) !== code2;
}
function createRedact(values) {
  const needles = /* @__PURE__ */ new Map();
  for (const value of values) {
    if (typeof value !== "string") continue;
    const secret = value.trim();
    if (secret.length >= shortestSecret) addWrittenForms(needles, secret);
  }
  if (needles.size === 0) return (text2) => text2;
  const upperCased = Array.from(needles.keys(), (needle) => needle.toUpperCase());
  let redact;
  return (text2) => {
    const upper = text2.toUpperCase();
    if (!upper.includes("BASIC") && !upperCased.some((needle) => upper.includes(needle))) return text2;
    redact ??= compile(needles);
    return redact(text2);
  };
}
function compile(needles) {
  const longestFirst = [...needles].sort(([one], [other]) => other.length - one.length);
  const pattern = longestFirst.map(([needle, secret2]) => toPattern(needle, isRandom(secret2))).join("|");
  const secret = new RegExp(pattern, "gi");
  const containsSecret = new RegExp(pattern, "i");
  return (text2) => text2.replace(
    /\b(Basic\s+)([A-Za-z0-9+/_-]{4,}={0,2})/gi,
    (match, scheme, credentials) => containsSecret.test(decodeBase64(credentials) ?? "") ? scheme + redactedMark : match
  ).replace(secret, redactedMark);
}
function toPattern(needle, isAnywhere) {
  const escaped = needle.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
  return isAnywhere ? escaped : wordStart + escaped + wordEnd;
}
var toEscape = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
function addWrittenForms(forms2, value) {
  forms2.set(value, value);
  if (/^[\w.-]+$/.test(value)) return;
  const json = JSON.stringify(value).slice(1, -1);
  forms2.set(json, value);
  forms2.set(json.replaceAll("/", "\\/"), value);
  forms2.set(json.replace(/[<>&]/g, toEscape), value);
  forms2.set(json.replace(/[^\0-\x7f]/g, toEscape), value);
  try {
    const encoded = encodeURIComponent(value);
    forms2.set(encoded, value);
    forms2.set(encoded.replaceAll("%20", "+"), value);
    forms2.set(new URLSearchParams([["", value]]).toString().slice(1), value);
  } catch {
  }
}
function headerParts(name, value) {
  if (name.toLowerCase() === "cookie") {
    return [value, ...value.split(";").map((pair) => pair.slice(pair.indexOf("=") + 1).trim())];
  }
  const [, scheme, credentials] = /^([A-Za-z][A-Za-z0-9-]*)\s+(\S.*)$/.exec(value) ?? [];
  if (scheme === void 0 || credentials === void 0) return [value];
  const parts = [value, credentials];
  const decoded = scheme.toLowerCase() === "basic" ? decodeBase64(credentials) : void 0;
  if (decoded !== void 0) parts.push(decoded, decoded.slice(decoded.indexOf(":") + 1));
  return parts;
}
function decodeBase64(text2) {
  try {
    const binary = atob(text2.replaceAll("-", "+").replaceAll("_", "/"));
    return new TextDecoder().decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
  } catch {
    return void 0;
  }
}

// src/contract/error-table.ts
var errorTable = Object.freeze({
  "bad-request": entry("bad-request", 400, "BAD_REQUEST", "The request is not valid.", "report"),
  unauthorized: entry(
    "unauthorized",
    401,
    "UNAUTHORIZED",
    "The session is missing, expired or not valid.",
    "initialize-and-resend"
  ),
  forbidden: entry("forbidden", 403, "FORBIDDEN", "Access to this resource is denied.", "report"),
  "rate-limit": entry("rate-limit", 403, "RATE_LIMITED", "The rate limit has been reached.", "wait-and-resend", true),
  "not-found": entry("not-found", 404, "NOT_FOUND", "The requested resource is not available.", "report"),
  other: entry(
    "other",
    null,
    "CONNECTOR_ERROR",
    "The connector could not complete the request.",
    "retry-if-idempotent"
  )
});
function entry(kind, status, code2, message, reaction, waitHeader = false) {
  return Object.freeze({ kind, status, waitHeader, code: code2, message, reaction });
}
function kindOfStatus(status) {
  for (const row of Object.values(errorTable)) {
    if (row.status === status && !row.waitHeader) return row.kind;
  }
  return "other";
}

// src/contract/payload.ts
var errorPayloadSchema = z2.strictObject({
  errors: z2.strictObject({
    code: z2.string().min(1).meta({ description: "Error code of the end system, or one chosen by the connector" }),
    message: z2.string().min(1).meta({ description: "Why the call failed" }),
    detail: z2.string().optional().meta({ description: "Extra details, such as the end system's response" })
  })
});
var defaultMaxDetailBytes = 8 * 1024;
var cutMark = "\u2026 [cut]";
function parseErrorPayload(value, fallbackCode = errorTable.other.code) {
  try {
    return readPayload(typeof value === "string" ? parseJson(value) : value, fallbackCode);
  } catch {
    return void 0;
  }
}
function readPayload(value, fallbackCode) {
  if (!isRecord(value)) return void 0;
  const entry2 = Array.isArray(value.errors) ? value.errors[0] : value.errors;
  if (!isRecord(entry2) || Array.isArray(entry2)) return void 0;
  const { code: code2, message, detail } = entry2;
  if (typeof message !== "string" || message.trim() === "") return void 0;
  const text2 = detail === void 0 || detail === null ? "" : describeValue(detail);
  return { errors: { code: readCode(code2) ?? fallbackCode, message, ...text2 === "" ? {} : { detail: text2 } } };
}
function parseProblem(text2) {
  const value = parseJson(text2);
  if (!isRecord(value)) return void 0;
  const { type, title, detail } = value;
  const [message] = [title, detail].filter((item) => typeof item === "string" && item.trim() !== "");
  if (message === void 0) return void 0;
  const code2 = readCode(value.code) ?? (type === "about:blank" ? void 0 : readCode(type)) ?? "";
  return { code: code2, message, ...typeof detail === "string" && detail !== "" ? { detail } : {} };
}
function readCode(code2) {
  if (typeof code2 === "number" && Number.isFinite(code2)) return String(code2);
  if (typeof code2 === "bigint") return String(code2);
  return typeof code2 === "string" && code2.trim() !== "" ? code2 : void 0;
}
function limitBytes(text2, maxBytes) {
  if (text2.length * 3 <= maxBytes) return text2;
  const encoder = new TextEncoder();
  if (encoder.encode(text2).length <= maxBytes) return text2;
  const room = maxBytes - encoder.encode(cutMark).length;
  const { read: read2 } = encoder.encodeInto(text2, new Uint8Array(Math.max(0, room < 0 ? maxBytes : room)));
  return text2.slice(0, read2) + (room < 0 ? "" : cutMark);
}
function isRecord(value) {
  return typeof value === "object" && value !== null;
}

// src/contract/clean-text.ts
var maxCodeBytes = 256;
var maxMessageBytes = 8 * 1024;
var lineEnd = /[\t\n\v\f\r\u0085\u2028\u2029]\s*/g;
var notText = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
var notTextOfLines = /(?![\t\n]|\r\n)[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
var replacement = "\uFFFD";
function cleanCode(code2) {
  return limitBytes(code2.replace(notText, replacement), maxCodeBytes);
}
function cleanMessage(message) {
  return limitBytes(message.replace(lineEnd, " ").replace(notText, replacement), maxMessageBytes);
}
function cleanDetail(detail) {
  return detail.replace(notTextOfLines, replacement);
}

// src/contract/framed-error.ts
var FramedError = class extends Error {
  constructor(message, options, withFrames) {
    const limit = Error.stackTraceLimit;
    const without = !withFrames && setStackTraceLimit(0);
    try {
      super(message, options);
    } finally {
      if (without) setStackTraceLimit(limit);
    }
  }
};
function setStackTraceLimit(frames) {
  try {
    Error.stackTraceLimit = frames;
    return true;
  } catch {
    return false;
  }
}

// src/contract/errors.ts
var brand = /* @__PURE__ */ Symbol.for("concordat.ConnectorError");
var latestDateMs = 864e13;
var inProduction = typeof process !== "undefined" && process.env?.NODE_ENV === "production";
var ConnectorError = class extends FramedError {
  status;
  code;
  origin;
  #reason;
  #exposeDetail;
  constructor(message, options) {
    const { status, code: code2, detail, headers, cause, request } = checkOptions2(message, options);
    const kindOfClass = new.target.prototype.kind;
    const kind = kindOfClass ?? kindOfStatus(status);
    const codeText = readCode(code2) ?? errorTable[kind].code;
    super(
      request ? `${request.method} ${request.path}: ${status} ${codeText}: ${message}` : message,
      cause === void 0 ? void 0 : { cause },
      !inProduction || status >= 500 || request !== void 0
    );
    this.#reason = message;
    this.#exposeDetail = options.exposeDetail ?? true;
    this.status = status;
    this.code = codeText;
    this.origin = options.origin ?? "connector";
    const detailText = detail === void 0 || detail === null ? "" : describeValue(detail);
    if (detailText !== "") this.detail = detailText;
    if (headers !== void 0) this.headers = Object.freeze({ ...headers });
    if (request !== void 0) {
      this.method = request.method;
      this.path = request.path;
    }
    if (kindOfClass === void 0) {
      Object.defineProperty(this, "kind", { value: kind, configurable: true });
    }
  }
  /** The contract body for this error: `{"errors":{code, message, detail?}}` in that order (rules E1, E5). */
  toPayload(options) {
    const errors = { code: this.code, message: this.#reason };
    if (this.detail !== void 0 && this.#exposeDetail) {
      errors.detail = limitBytes(this.detail, options?.maxDetailBytes ?? defaultMaxDetailBytes);
    }
    return { errors };
  }
};
var BadRequestError = class extends ConnectorError {
  constructor(message, options) {
    super(message ?? errorTable["bad-request"].message, withStatus(400, options));
  }
};
var UnauthorizedError = class extends ConnectorError {
  constructor(message, options) {
    super(message ?? errorTable.unauthorized.message, withStatus(401, options));
  }
};
var ForbiddenError = class extends ConnectorError {
  constructor(message, options) {
    super(message ?? errorTable.forbidden.message, withStatus(403, options));
  }
};
var NotFoundError = class extends ConnectorError {
  constructor(message, options) {
    super(message ?? errorTable["not-found"].message, withStatus(404, options));
  }
};
var RateLimitError = class extends ConnectorError {
  /** Milliseconds to wait from the moment the error was made; never negative. */
  retryAfterMs;
  /** When requests are welcome again. */
  resumeAt;
  constructor(first, second) {
    const options = typeof first === "object" && first !== null ? { ...first } : second;
    const message = typeof first === "object" && first !== null ? void 0 : first;
    const wait = readWait(options);
    super(message ?? errorTable["rate-limit"].message, withStatus(limitStatus(options), options));
    this.retryAfterMs = wait.retryAfterMs;
    this.resumeAt = wait.resumeAt;
  }
};
define(ConnectorError, "ConnectorError");
define(BadRequestError, "BadRequestError", "bad-request");
define(UnauthorizedError, "UnauthorizedError", "unauthorized");
define(ForbiddenError, "ForbiddenError", "forbidden");
define(RateLimitError, "RateLimitError", "rate-limit");
define(NotFoundError, "NotFoundError", "not-found");
Object.defineProperty(ConnectorError.prototype, brand, { value: true });
function define(target, name, kind) {
  Object.defineProperty(target.prototype, "name", { value: name, configurable: true, writable: true });
  if (kind !== void 0) Object.defineProperty(target.prototype, "kind", { value: kind, configurable: true });
}
function withStatus(status, details) {
  return Object.assign({ status }, details, { status });
}
function checkOptions2(message, options) {
  if (typeof message !== "string" || message.trim() === "") {
    throw new TypeError("`message` must be a non-empty string: it tells the service why the call failed.");
  }
  const status = options?.status;
  if (!Number.isInteger(status) || status < 400 || status > 599) {
    throw new TypeError(`\`status\` must be an HTTP error status from 400 to 599, got ${String(status)}.`);
  }
  return options;
}
function limitStatus(options) {
  const status = options?.status ?? 403;
  if (status === 403 || status === 429 || status === 503) return status;
  throw new TypeError(`\`status\` of a rate limit must be 403, 429 or 503, got ${String(status)}.`);
}
function readWait(options) {
  const { retryAfterMs, resumeAt } = options ?? {};
  if (retryAfterMs === void 0 && resumeAt === void 0) {
    throw new TypeError(
      "A rate limit needs `retryAfterMs` (milliseconds) or `resumeAt` (a Date): the service waits exactly that long."
    );
  }
  if (resumeAt !== void 0 && (!(resumeAt instanceof Date) || Number.isNaN(resumeAt.getTime()))) {
    throw new TypeError("`resumeAt` must be a valid Date.");
  }
  if (retryAfterMs !== void 0 && !(Number.isFinite(retryAfterMs) && retryAfterMs >= 0)) {
    throw new TypeError(
      `\`retryAfterMs\` must be a number of milliseconds, zero or more, got ${String(retryAfterMs)}.`
    );
  }
  const now = Date.now();
  return {
    retryAfterMs: retryAfterMs ?? Math.max(0, resumeAt.getTime() - now),
    resumeAt: resumeAt ?? new Date(Math.min(now + retryAfterMs, latestDateMs))
  };
}

// src/contract/is-connector-error.ts
function isConnectorError(value, kind) {
  if (typeof value !== "object" || value === null) return false;
  try {
    if (value[brand] !== true) return false;
    return kind === void 0 || value.kind === kind;
  } catch {
    return false;
  }
}

// src/contract/session-parameters.ts
import { z as z3 } from "zod";
var sessionParameterSchema = z3.object({
  key: z3.string().min(1),
  value: z3.string(),
  /** Whether the value is a secret: it is then kept out of every error (rule E5). */
  sensitive: z3.boolean().default(false)
});
var token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
var headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;
var reservedHeaders = /* @__PURE__ */ new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
]);
var callersHeaders = /* @__PURE__ */ new Set([
  ...["accept-charset", "accept-encoding", "content-encoding", "content-range", "content-type", "range"],
  ...["if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since"],
  ...["x-http-method", "x-http-method-override", "x-method-override", "x-original-url", "x-rewrite-url"]
]);
var mostHeaders = 100;
var mostBytes = 64 * 1024;
function headerProblem(key, value) {
  if (!token.test(key)) return `${JSON.stringify(key.slice(0, 80))} is not a valid header name`;
  const name = key.toLowerCase();
  if (reservedHeaders.has(name) || name.startsWith("proxy-"))
    return `"${key}" is a header that belongs to the transport`;
  if (typeof value !== "string") return `the value of "${key}" is not a string`;
  if (!headerValue.test(value)) return `the value of "${key}" has characters that a header cannot carry`;
  return void 0;
}
function sessionHeaderProblem(key, value) {
  const changesReading = callersHeaders.has(key.toLowerCase());
  return headerProblem(key, value) ?? (changesReading ? `"${key}" changes how requests are read` : void 0);
}
function sessionProblems(session) {
  if (session.length > mostHeaders) return [`it has more than ${mostHeaders} headers`];
  const bytes = session.reduce((sum, { key, value }) => sum + key.length + String(value).length, 0);
  if (bytes > mostBytes) return [`it has more than ${mostBytes} bytes`];
  const seen = /* @__PURE__ */ new Set();
  return session.flatMap(({ key, value }) => {
    const name = key.toLowerCase();
    const problem = sessionHeaderProblem(key, value) ?? (seen.has(name) ? `"${key}" is there twice` : void 0);
    seen.add(name);
    return problem ?? [];
  });
}
function toSessionParameters(value) {
  if (Array.isArray(value)) {
    const parsed = z3.array(sessionParameterSchema).safeParse(value);
    return parsed.success ? parsed.data : void 0;
  }
  if (typeof value !== "object" || value === null) return void 0;
  const entries = Object.entries(value);
  if (entries.some(([, item]) => typeof item !== "string")) return void 0;
  return entries.map(([key, item]) => ({ key, value: item, sensitive: false }));
}

// src/contract/http-date.ts
var weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
var months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
var shortDay = "(?<day>Sun|Mon|Tue|Wed|Thu|Fri|Sat)";
var month = `(?<month>${months.join("|")})`;
var time = "(?<hour>\\d{2}):(?<minute>\\d{2}):(?<second>\\d{2})";
var forms = [
  new RegExp(`^${shortDay}, (?<date>\\d{2}) ${month} (?<year>\\d{4}) ${time} GMT$`),
  new RegExp(`^(?<day>${weekdays.join("|")}), (?<date>\\d{2})-${month}-(?<shortYear>\\d{2}) ${time} GMT$`),
  new RegExp(`^${shortDay} ${month} (?<date>\\d{2}| \\d) ${time} (?<year>\\d{4})$`)
];
function parseHttpDate(text2, now) {
  for (const form of forms) {
    const parts = form.exec(text2)?.groups;
    if (parts) return toEpoch(parts, now);
  }
  return void 0;
}
var fiftyYears = 50;
function toEpoch(parts, now) {
  if (parts.year !== void 0) return inYear(parts, Number(parts.year));
  const horizon = new Date(now);
  horizon.setUTCFullYear(horizon.getUTCFullYear() + fiftyYears);
  const century = Math.floor(horizon.getUTCFullYear() / 100) * 100;
  const year = century + Number(parts.shortYear);
  const isAhead = (inYear(parts, year, false) ?? Number.POSITIVE_INFINITY) > horizon.getTime();
  return inYear(parts, isAhead ? year - 100 : year);
}
function inYear(parts, year, checkWeekday = true) {
  const monthIndex = months.indexOf(parts.month);
  const [day, hour, minute, second] = [parts.date, parts.hour, parts.minute, parts.second].map(Number);
  if (hour > 23 || minute > 59) return void 0;
  const leapSecond = second === 60 && hour === 23 && minute === 59;
  if (second > 59 && !leapSecond) return void 0;
  const date = utcDate(year, monthIndex, day);
  if (date === void 0) return void 0;
  if (checkWeekday && !weekdays[date.getUTCDay()]?.startsWith(parts.day.slice(0, 3))) return void 0;
  return date.getTime() + ((hour * 60 + minute) * 60 + second) * 1e3;
}
function utcDate(year, monthIndex, day) {
  const date = /* @__PURE__ */ new Date(0);
  date.setUTCFullYear(year, monthIndex, day);
  return date.getUTCMonth() === monthIndex && date.getUTCDate() === day ? date : void 0;
}

// src/contract/wait-header.ts
var waitFormats = [
  "auto",
  "seconds",
  "milliseconds",
  "http-date",
  "epoch-seconds",
  "epoch-milliseconds",
  "iso-8601"
];
var longestWaitMs = Number.MAX_SAFE_INTEGER;
var maxWaitCharacters = 1024;
function parseWait(value, options = {}) {
  const format = checkWaitFormat(options.format ?? "auto");
  if (typeof value !== "string") return { invalid: "there is no value" };
  const now = checkNow(options.now);
  if (value.length > maxWaitCharacters) return { invalid: `it is longer than ${maxWaitCharacters} characters` };
  const reference = referenceTime(options, now);
  let longest;
  for (const item of splitJoined(value)) {
    const waitMs = readOne(item, format, reference);
    if (waitMs !== void 0) longest = Math.max(longest ?? 0, Math.min(waitMs, longestWaitMs));
  }
  if (longest !== void 0) return { waitMs: longest };
  return { invalid: `${JSON.stringify(value.slice(0, 80))} is not ${expectation[format]}` };
}
function checkWaitFormat(format) {
  if (waitFormats.includes(format)) return format;
  throw new TypeError(`\`format\` must be one of ${waitFormats.join(", ")}, got ${JSON.stringify(format)}.`);
}
function checkNow(now = Date.now()) {
  if (Number.isFinite(now)) return now;
  throw new TypeError(`\`now\` must be a time in epoch milliseconds, got ${String(now)}.`);
}
var expectation = {
  auto: "a number of seconds or an HTTP-date",
  seconds: "a number of seconds",
  milliseconds: "a number of milliseconds",
  "http-date": "an HTTP-date",
  "epoch-seconds": "a time in seconds since 1970",
  "epoch-milliseconds": "a time in milliseconds since 1970",
  "iso-8601": "an ISO 8601 time with its zone"
};
function referenceTime(options, now) {
  const { date, age } = options;
  if (typeof date !== "string" || date.length > maxWaitCharacters || typeof age === "string") return now;
  return parseHttpDate(date.trim(), now) ?? now;
}
var weekdayName = /^[ \t]*(?:Sun|Mon|Tue|Wed|Thu|Fri|Sat|(?:Sun|Mon|Tues|Wednes|Thurs|Fri|Satur)day)$/;
function splitJoined(value) {
  const items = [];
  for (const piece of value.split(",")) {
    const last = items.at(-1);
    if (last !== void 0 && weekdayName.test(last) && /^ \d/.test(piece))
      items[items.length - 1] = `${last},${piece}`;
    else items.push(piece);
  }
  return items.map(trimBlanks);
}
function trimBlanks(text2) {
  let [start, end] = [0, text2.length];
  while (start < end && isBlank(text2[start])) start++;
  while (end > start && isBlank(text2[end - 1])) end--;
  return text2.slice(start, end);
}
function isBlank(character) {
  return character === " " || character === "	";
}
function readOne(item, format, reference) {
  const until = (epochMs) => epochMs === void 0 ? void 0 : Math.max(0, epochMs - reference);
  switch (format) {
    case "seconds":
      return readDigits(item, 1e3);
    case "milliseconds":
      return readDigits(item, 1);
    case "http-date":
      return until(parseHttpDate(item, reference));
    case "epoch-seconds":
      return until(readDigits(item, 1e3));
    case "epoch-milliseconds":
      return until(readDigits(item, 1));
    case "iso-8601":
      return until(readIsoTime(item));
    default:
      return readDigits(item, 1e3) ?? until(parseHttpDate(item, reference));
  }
}
function readDigits(text2, unitMs) {
  return /^[0-9]+$/.test(text2) ? Number(text2) * unitMs : void 0;
}
var isoTime = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:Z|([+-])(\d{2}):?(\d{2}))$/;
function readIsoTime(text2) {
  const match = isoTime.exec(text2);
  if (!match) return void 0;
  const [year, month2, day, hour, minute] = match.slice(1, 6).map(Number);
  const second = Number(match[6] ?? 0);
  const date = utcDate(year, month2 - 1, day);
  if (date === void 0 || hour > 23 || minute > 59 || second > 59) return void 0;
  const [offsetHours, offsetRest] = [Number(match[9] ?? 0), Number(match[10] ?? 0)];
  if (offsetHours > 23 || offsetRest > 59) return void 0;
  const offsetMinutes = offsetHours * 60 + offsetRest;
  const fractionMs = Number(`0.${match[7] ?? 0}`) * 1e3;
  const sign = match[8] === "-" ? -1 : 1;
  return date.getTime() + ((hour * 60 + minute - sign * offsetMinutes) * 60 + second) * 1e3 + fractionMs;
}

// src/contract/option-schemas.ts
var headerNameOption = option(
  (value) => typeof value === "string" && headerProblem(value, "") === void 0,
  "must be the name of a header",
  true
);
var waitFormatOption = oneOf(waitFormats);

// node_modules/structured-headers/dist/util.js
var asciiRe = /^[\x20-\x7E]*$/;
var tokenRe = /^[a-zA-Z*][:/!#$%&'*+\-.^_`|~A-Za-z0-9]*$/;
function isAscii(str) {
  return asciiRe.test(str);
}
function isValidTokenStr(str) {
  return tokenRe.test(str);
}
function base64ToArrayBuffer(b64) {
  const binaryString = atob(b64);
  const len = binaryString.length;
  const bytes = new Uint8Array(len);
  for (let i = 0; i < len; i++) {
    bytes[i] = binaryString.charCodeAt(i);
  }
  return bytes.buffer;
}

// node_modules/structured-headers/dist/token.js
var Token = class {
  constructor(value) {
    if (!isValidTokenStr(value)) {
      throw new TypeError("Invalid character in Token string. Tokens must start with *, A-Z and the rest of the string may only contain a-z, A-Z, 0-9, :/!#$%&'*+-.^_`|~");
    }
    this.value = value;
  }
  toString() {
    return this.value;
  }
};

// node_modules/structured-headers/dist/displaystring.js
var DisplayString = class {
  constructor(value) {
    this.value = value;
  }
  toString() {
    return this.value;
  }
};

// node_modules/structured-headers/dist/parser.js
function parseList(input) {
  const parser = new Parser(input);
  return parser.parseList();
}
var ParseError = class extends Error {
  constructor(position, message) {
    super(`Parse error: ${message} at offset ${position}`);
  }
};
var Parser = class {
  constructor(input) {
    this.input = input;
    this.pos = 0;
  }
  parseDictionary() {
    this.skipWS();
    const dictionary = /* @__PURE__ */ new Map();
    while (!this.eof()) {
      const thisKey = this.parseKey();
      let member;
      if (this.lookChar() === "=") {
        this.pos++;
        member = this.parseItemOrInnerList();
      } else {
        member = [true, this.parseParameters()];
      }
      dictionary.set(thisKey, member);
      this.skipOWS();
      if (this.eof()) {
        return dictionary;
      }
      this.expectChar(",");
      this.pos++;
      this.skipOWS();
      if (this.eof()) {
        throw new ParseError(this.pos, "Dictionary contained a trailing comma");
      }
    }
    return dictionary;
  }
  parseList() {
    this.skipWS();
    const members = [];
    while (!this.eof()) {
      members.push(this.parseItemOrInnerList());
      this.skipOWS();
      if (this.eof()) {
        return members;
      }
      this.expectChar(",");
      this.pos++;
      this.skipOWS();
      if (this.eof()) {
        throw new ParseError(this.pos, "A list may not end with a trailing comma");
      }
    }
    return members;
  }
  parseItem(standaloneItem = true) {
    if (standaloneItem)
      this.skipWS();
    const result = [
      this.parseBareItem(),
      this.parseParameters()
    ];
    if (standaloneItem)
      this.checkTrail();
    return result;
  }
  parseItemOrInnerList() {
    if (this.lookChar() === "(") {
      return this.parseInnerList();
    } else {
      return this.parseItem(false);
    }
  }
  parseInnerList() {
    this.expectChar("(");
    this.pos++;
    const innerList = [];
    while (!this.eof()) {
      this.skipWS();
      if (this.lookChar() === ")") {
        this.pos++;
        return [
          innerList,
          this.parseParameters()
        ];
      }
      innerList.push(this.parseItem(false));
      const nextChar = this.lookChar();
      if (nextChar !== " " && nextChar !== ")") {
        throw new ParseError(this.pos, "Expected a whitespace or ) after every item in an inner list");
      }
    }
    throw new ParseError(this.pos, "Could not find end of inner list");
  }
  parseBareItem() {
    const char = this.lookChar();
    if (char === void 0) {
      throw new ParseError(this.pos, "Unexpected end of string");
    }
    if (char.match(/^[-0-9]/)) {
      return this.parseIntegerOrDecimal();
    }
    if (char === '"') {
      return this.parseString();
    }
    if (char.match(/^[A-Za-z*]/)) {
      return this.parseToken();
    }
    if (char === ":") {
      return this.parseByteSequence();
    }
    if (char === "?") {
      return this.parseBoolean();
    }
    if (char === "@") {
      return this.parseDate();
    }
    if (char === "%") {
      return this.parseDisplayString();
    }
    throw new ParseError(this.pos, "Unexpected input");
  }
  parseParameters() {
    const parameters = /* @__PURE__ */ new Map();
    while (!this.eof()) {
      const char = this.lookChar();
      if (char !== ";") {
        break;
      }
      this.pos++;
      this.skipWS();
      const key = this.parseKey();
      let value = true;
      if (this.lookChar() === "=") {
        this.pos++;
        value = this.parseBareItem();
      }
      parameters.set(key, value);
    }
    return parameters;
  }
  parseIntegerOrDecimal() {
    let type = "integer";
    let sign = 1;
    let inputNumber = "";
    if (this.lookChar() === "-") {
      sign = -1;
      this.pos++;
    }
    if (!isDigit(this.lookChar())) {
      throw new ParseError(this.pos, "Expected a digit (0-9)");
    }
    while (!this.eof()) {
      const char = this.getChar();
      if (isDigit(char)) {
        inputNumber += char;
      } else if (type === "integer" && char === ".") {
        if (inputNumber.length > 12) {
          throw new ParseError(this.pos, "Exceeded maximum decimal length");
        }
        inputNumber += ".";
        type = "decimal";
      } else {
        this.pos--;
        break;
      }
      if (type === "integer" && inputNumber.length > 15) {
        throw new ParseError(this.pos, "Exceeded maximum integer length");
      }
      if (type === "decimal" && inputNumber.length > 16) {
        throw new ParseError(this.pos, "Exceeded maximum decimal length");
      }
    }
    if (type === "integer") {
      return parseInt(inputNumber, 10) * sign;
    } else {
      if (inputNumber.endsWith(".")) {
        throw new ParseError(this.pos, "Decimal cannot end on a period");
      }
      if (inputNumber.split(".")[1].length > 3) {
        throw new ParseError(this.pos, "Number of digits after the decimal point cannot exceed 3");
      }
      return parseFloat(inputNumber) * sign;
    }
  }
  parseString() {
    let outputString = "";
    this.expectChar('"');
    this.pos++;
    while (!this.eof()) {
      const char = this.getChar();
      if (char === "\\") {
        if (this.eof()) {
          throw new ParseError(this.pos, "Unexpected end of input");
        }
        const nextChar = this.getChar();
        if (nextChar !== "\\" && nextChar !== '"') {
          throw new ParseError(this.pos, "A backslash must be followed by another backslash or double quote");
        }
        outputString += nextChar;
      } else if (char === '"') {
        return outputString;
      } else if (!isAscii(char)) {
        throw new ParseError(this.pos, "Strings must be in the ASCII range");
      } else {
        outputString += char;
      }
    }
    throw new ParseError(this.pos, "Unexpected end of input");
  }
  parseDisplayString() {
    const chars = this.getChars(2);
    if (chars !== '%"') {
      throw new ParseError(this.pos, "Unexpected character. Display strings should start with %=");
    }
    const result = [];
    while (!this.eof()) {
      const char = this.getChar();
      if (char.charCodeAt(0) <= 31 || char.charCodeAt(0) >= 127 && char.charCodeAt(0) <= 255) {
        throw new ParseError(this.pos, "Invalid char found in DisplayString. Did you forget to escape?");
      }
      if (char === "%") {
        const hexChars = this.getChars(2);
        if (/^[0-9a-f]{2}$/.test(hexChars)) {
          result.push(parseInt(hexChars, 16));
        } else {
          throw new ParseError(this.pos, `Unexpected sequence after % in DispalyString: "${hexChars}". Note that hexidecimals must be lowercase`);
        }
        continue;
      }
      if (char === '"') {
        const textDecoder = new TextDecoder("utf-8", {
          fatal: true
        });
        try {
          return new DisplayString(textDecoder.decode(new Uint8Array(result)));
        } catch {
          throw new ParseError(this.pos, "Fatal error decoding UTF-8 sequence in Display String");
        }
      }
      result.push(char.charCodeAt(0));
    }
    throw new ParseError(this.pos, "Unexpected end of input");
  }
  parseToken() {
    let outputString = "";
    while (!this.eof()) {
      const char = this.lookChar();
      if (char === void 0 || !/^[:/!#$%&'*+\-.^_`|~A-Za-z0-9]$/.test(char)) {
        return new Token(outputString);
      }
      outputString += this.getChar();
    }
    return new Token(outputString);
  }
  parseByteSequence() {
    this.expectChar(":");
    this.pos++;
    const endPos = this.input.indexOf(":", this.pos);
    if (endPos === -1) {
      throw new ParseError(this.pos, 'Could not find a closing ":" character to mark end of Byte Sequence');
    }
    const b64Content = this.input.substring(this.pos, endPos);
    this.pos += b64Content.length + 1;
    if (!/^[A-Za-z0-9+/=]*$/.test(b64Content)) {
      throw new ParseError(this.pos, "ByteSequence does not contain a valid base64 string");
    }
    try {
      return base64ToArrayBuffer(b64Content);
    } catch {
      throw new ParseError(this.pos, "ByteSequence does not contain a valid base64 string");
    }
  }
  parseBoolean() {
    this.expectChar("?");
    this.pos++;
    const char = this.getChar();
    if (char === "1") {
      return true;
    }
    if (char === "0") {
      return false;
    }
    throw new ParseError(this.pos, 'Unexpected character. Expected a "1" or a "0"');
  }
  parseDate() {
    this.expectChar("@");
    this.pos++;
    let sign = 1;
    let inputNumber = "";
    if (this.lookChar() === "-") {
      sign = -1;
      this.pos++;
    }
    if (!isDigit(this.lookChar())) {
      throw new ParseError(this.pos, "Expected a digit (0-9)");
    }
    while (!this.eof()) {
      const char = this.getChar();
      if (isDigit(char)) {
        inputNumber += char;
      } else {
        throw new ParseError(this.pos, "Expected a digit (0-9), whitespace or EOL");
      }
    }
    if (inputNumber.length > 15) {
      throw new ParseError(this.pos, "Exceeded max length for a date value");
    }
    return new Date(parseInt(inputNumber, 10) * sign * 1e3);
  }
  parseKey() {
    if (!this.lookChar()?.match(/^[a-z*]/)) {
      throw new ParseError(this.pos, "A key must begin with an asterisk or letter (a-z)");
    }
    let outputString = "";
    while (!this.eof()) {
      const char = this.lookChar();
      if (char === void 0 || !/^[a-z0-9_\-.*]$/.test(char)) {
        return outputString;
      }
      outputString += this.getChar();
    }
    return outputString;
  }
  /**
   * Looks at the next character without advancing the cursor.
   *
   * Returns undefined if we were at the end of the string.
   */
  lookChar() {
    return this.input[this.pos];
  }
  /**
   * Checks if the next character is 'char', and fail otherwise.
   */
  expectChar(char) {
    if (this.lookChar() !== char) {
      throw new ParseError(this.pos, `Expected ${char}`);
    }
  }
  getChar() {
    return this.input[this.pos++];
  }
  getChars(count2) {
    const result = this.input.substr(this.pos, count2);
    this.pos += count2;
    return result;
  }
  eof() {
    return this.pos >= this.input.length;
  }
  // Advances the pointer to skip all whitespace.
  skipOWS() {
    while (true) {
      const c = this.input.substr(this.pos, 1);
      if (c === " " || c === "	") {
        this.pos++;
      } else {
        break;
      }
    }
  }
  // Advances the pointer to skip all spaces
  skipWS() {
    while (this.lookChar() === " ") {
      this.pos++;
    }
  }
  // At the end of parsing, we need to make sure there are no bytes after the
  // header except whitespace.
  checkTrail() {
    this.skipWS();
    if (!this.eof()) {
      throw new ParseError(this.pos, "Unexpected characters at end of input");
    }
  }
};
var isDigitRegex = /^[0-9]$/;
function isDigit(char) {
  if (char === void 0)
    return false;
  return isDigitRegex.test(char);
}

// src/contract/quota-headers.ts
var maxQuotaCharacters = 1024;
var maxItems = 16;
var daySeconds = 86400;
var maxInteger = 999999999999999;
function parseQuota({ policy, current }) {
  const policies = [];
  const otherUnits = /* @__PURE__ */ new Set();
  for (const [name, parameters] of readItems(policy)) {
    const limit = readInteger(parameters.get("q"), 1, maxInteger);
    const seconds = readInteger(parameters.get("w"), 1, daySeconds);
    if (!countsRequests(parameters.get("qu"))) otherUnits.add(name);
    else if (limit !== void 0 && seconds !== void 0) policies.push({ name, limit, windowMs: seconds * 1e3 });
  }
  const lefts = [];
  for (const [name, parameters] of readItems(current)) {
    const left = readInteger(parameters.get("r"), 0, maxInteger);
    const seconds = readInteger(parameters.get("t"), 0, daySeconds);
    const isReadable = left !== void 0 && (seconds !== void 0 || !parameters.has("t"));
    if (!isReadable || otherUnits.has(name)) continue;
    lefts.push({ name, left, resetMs: seconds === void 0 ? void 0 : seconds * 1e3 });
  }
  return { policies, current: lefts };
}
function readItems(value) {
  if (typeof value !== "string" || value.length > maxQuotaCharacters) return [];
  let list2;
  try {
    list2 = parseList(value);
  } catch {
    return [];
  }
  const items = [];
  for (const [item, parameters] of list2.slice(0, maxItems)) {
    const name = item instanceof Token ? item.toString() : item;
    if (typeof name === "string") items.push([name, parameters]);
  }
  return items;
}
function readInteger(value, least, most) {
  return Number.isInteger(value) && value >= least && value <= most ? value + 0 : void 0;
}
function countsRequests(unit) {
  return unit === void 0 || (unit instanceof Token ? unit.toString() : unit) === "requests";
}

// src/client/errors.ts
var RequestError = class extends Error {
  code;
  method;
  path;
  constructor(message, options) {
    const { code: code2, request, status, cause } = options;
    const what = status === void 0 ? code2 : `${status} ${code2}`;
    super(`${request.method} ${request.path}: ${what}: ${message}`, cause === void 0 ? void 0 : { cause });
    this.code = code2;
    this.method = request.method;
    this.path = request.path;
    if (status !== void 0) this.status = status;
  }
};
var InitializeError = class extends Error {
  /** Whether the connector refused the login, so that calls fail at once until the cool-down is over. */
  refused;
  constructor(message, options = {}) {
    super(message, options.cause === void 0 ? void 0 : { cause: options.cause });
    if (options.status !== void 0) this.status = options.status;
    if (options.code !== void 0) this.code = options.code;
    this.refused = options.refused ?? false;
    const response = options.cause?.response;
    if (response !== void 0) Object.defineProperty(this, "response", { value: response });
  }
};
var Unreadable = class extends Error {
  code;
  constructor(code2, message, cause) {
    super(message, { cause });
    this.code = code2;
  }
};
function closedError(request) {
  return new RequestError("the client is closed", { code: "CLIENT_CLOSED", request });
}
var AbandonedLogin = class extends Error {
};
var quotingErrors = /* @__PURE__ */ new Set(["SyntaxError", "HTTPParserError"]);
function withoutQuotes(cause) {
  let current = cause;
  for (let depth = 0; depth < 10 && typeof current === "object" && current !== null; depth++) {
    if (quotingErrors.has(current.name)) return void 0;
    current = current.cause;
  }
  return cause;
}
function toInitializeErrorOfOwn(error) {
  if (!(error instanceof Error) || error.name !== "InitializeError" || error instanceof InitializeError) return error;
  const { message, status, code: code2, refused = false } = error;
  return new InitializeError(message, { status, code: code2, refused });
}
for (const [type, name, kind] of [
  [RequestError, "RequestError", "request"],
  [InitializeError, "InitializeError", "initialize"],
  [AbandonedLogin, "AbandonedLogin", void 0]
]) {
  Object.defineProperty(type.prototype, "name", { value: name, configurable: true, writable: true });
  if (kind === void 0) continue;
  Object.defineProperty(type.prototype, "kind", { value: kind, configurable: true });
  Object.defineProperty(type.prototype, brandOf(name), { value: true });
}
function brandOf(name) {
  return /* @__PURE__ */ Symbol.for(`concordat.${name}`);
}
function isRequestError(value) {
  return hasBrand(value, "RequestError");
}
function isInitializeError(value) {
  return hasBrand(value, "InitializeError");
}
function hasBrand(value, name) {
  if (typeof value !== "object" || value === null) return false;
  try {
    return value[brandOf(name)] === true;
  } catch {
    return false;
  }
}

// src/client/http/many-listeners.ts
import { setMaxListeners } from "node:events";
function expectManyListeners(signal) {
  try {
    setMaxListeners(0, signal);
  } catch {
  }
  return signal;
}

// src/client/http/request-target.ts
var anyOrigin = "http://origin.invalid";
var literal = /^(?:\/(?!\.)[\w.~!$&()*+,;=:@-]*)+(?:\?[\w.~!$&()*+,;=:@/?%-]*)?$/;
function toTarget(basePath, path2, query) {
  if (query === void 0 && typeof path2 === "string" && literal.test(path2) && !path2.endsWith("?")) {
    return basePath + path2;
  }
  const search = toSearch(query);
  const url = new URL(anyOrigin + basePath + checkPath(path2, "path"));
  if (search === "") return url.pathname + url.search;
  return `${url.pathname}${url.search === "" ? "?" : `${url.search}&`}${search}`;
}
var dotSegment = /\/(?:\.|%2e){1,2}(?:\/|$)/i;
function checkPath(path2, option2) {
  if (typeof path2 !== "string" || !path2.startsWith("/")) {
    const given = JSON.stringify(path2);
    throw new TypeError(
      `\`${option2}\` must be a path that starts with "/" and is joined to \`baseUrl\`, got ${given}.`
    );
  }
  if (path2.includes("#")) throw new TypeError(`\`${option2}\` must not contain "#": write it as %23.`);
  if (/[\u0000-\u001f\u007f\\]/.test(path2)) {
    throw new TypeError(
      `\`${option2}\` must not contain control characters or backslashes: encode them with encodeURIComponent().`
    );
  }
  if (dotSegment.test(withoutQuery(path2))) {
    throw new TypeError(
      `\`${option2}\` must not have "." or ".." as a segment, encoded or not: it would lead elsewhere.`
    );
  }
  return path2;
}
function toSearch(query) {
  if (query === void 0) return "";
  if (Object.prototype.toString.call(query) === "[object URLSearchParams]") return String(query);
  if (!isRecord2(query)) throw new TypeError("`query` must be a URLSearchParams or an object of names and values.");
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (!Array.isArray(value)) {
      if (value !== void 0 && value !== null) parameters.append(name, toText(value, name));
      continue;
    }
    if (value.length === 0) throw new TypeError(`\`query.${name}\` is an empty array: leave it out by undefined.`);
    for (const item of value) {
      if (item !== void 0 && item !== null) parameters.append(name, toText(item, name));
    }
  }
  return parameters.toString();
}
function isRecord2(query) {
  return typeof query === "object" && query !== null && !(Symbol.iterator in query) && !(query instanceof Date || query instanceof Promise);
}
function toText(value, name) {
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  const what = Array.isArray(value) ? "an array in an array" : typeof value === "object" ? kindOf(value) : String(value);
  throw new TypeError(
    `\`query.${name}\` cannot be written: it must be text, a finite number, a boolean, a bigint, a valid Date, or an array of these, and holds ${what}.`
  );
}
function kindOf(value) {
  if (value instanceof Date) return "an invalid Date";
  return Object.prototype.toString.call(value).slice(8, -1) === "Object" ? "an object" : `a ${value?.constructor?.name}`;
}
var absolute = /^https?:\/\/[^/?#\\]*/i;
function toPath(path2, base) {
  if (typeof path2 !== "string" || path2.startsWith("/")) return path2;
  const authority = absolute.exec(path2)?.[0];
  if (authority === void 0) return path2;
  const rest = path2.slice(authority.length);
  const { basePath, origin } = base;
  const isBelow = rest.startsWith(`${basePath}/`) || basePath === "" && !/^[^?]/.test(rest);
  if (authority.includes("@") || !URL.canParse(authority) || new URL(authority).origin !== origin || !isBelow) {
    throw new TypeError(
      `\`path\` must be a path or a URL below \`baseUrl\`, ${origin}${basePath}/, and leads elsewhere.`
    );
  }
  const below = rest.slice(basePath.length);
  return below.startsWith("/") ? below : `/${below}`;
}
function withoutQuery(path2) {
  const end = path2.indexOf("?");
  return end < 0 ? path2 : path2.slice(0, end);
}

// src/client/settings.ts
import { z as z4 } from "zod";

// src/client/http/unpack.ts
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, inflateRaw } from "node:zlib";

// src/client/http/wire.ts
var maxErrorBytes = 1024 * 1024;
function bodyLimit(status, maxResponseBytes) {
  return status >= 400 ? Math.min(maxErrorBytes, maxResponseBytes) : maxResponseBytes;
}
function isStreamed({ streams }, status) {
  return streams === true && status >= 200 && status < 300;
}
function headerValue2(headers, lowerCaseName) {
  const value = headers[lowerCaseName];
  return Array.isArray(value) ? value.join(", ") : value;
}

// src/client/http/unpack.ts
var ofGzip = promisify(gunzip);
var ofZlib = promisify(inflate);
var ofDeflate = promisify(inflateRaw);
var unpackers = {
  gzip: ofGzip,
  "x-gzip": ofGzip,
  br: promisify(brotliDecompress),
  // Some servers leave out the wrapper that the standard asks for.
  deflate: (bytes, options) => ((bytes[0] ?? 0) % 16 === 8 ? ofZlib : ofDeflate)(bytes, options)
};
var acceptedEncodings = "gzip, br, deflate";
var mostLayers = 3;
function isPacked({ headers, body, end }) {
  return headers["content-encoding"] !== void 0 && body.length > 0 && end === "whole";
}
async function unpack(response, maxBytes) {
  const layers = layersOf(headerValue2(response.headers, "content-encoding") ?? "");
  const unknown = layers.find((name) => !Object.hasOwn(unpackers, name));
  if (unknown !== void 0) return failed(response, new Error(`${named(unknown)} is no known content-encoding`));
  if (layers.length > mostLayers) return failed(response, new Error("it is packed too many times"));
  let { body } = response;
  try {
    for (const name of layers.reverse()) {
      body = await unpackers[name](body, { maxOutputLength: maxBytes });
    }
  } catch (error) {
    const isTooLarge = error.code === "ERR_BUFFER_TOO_LARGE";
    return isTooLarge ? { ...response, body: new Uint8Array(), end: "too-large" } : failed(response, error);
  }
  return { ...response, body };
}
function named(name) {
  return name.length > 40 ? "a name of more than 40 characters" : JSON.stringify(name);
}
function layersOf(contentEncoding) {
  const names2 = contentEncoding.toLowerCase().split(",");
  return names2.map((name) => name.trim()).filter((name) => name !== "" && name !== "identity");
}
function failed(response, error) {
  return { ...response, body: new Uint8Array(), end: "packed", error };
}

// src/client/http/request-headers.ts
var version = "0.1.0";
function toBaseHeaders(headers, unpacks) {
  const base = {
    accept: "application/json, */*;q=0.5",
    // A fetch unpacks by itself, and hands on what is cut off as if it were whole.
    "accept-encoding": unpacks ? acceptedEncodings : "identity",
    "user-agent": `concordat/${version}`
  };
  return Object.freeze(addHeaders(base, headers));
}
function toHeaderRecord(base, headers, body) {
  const { contentType, mayHaveLength = false } = body;
  if (headers === void 0 && contentType === void 0) return base;
  const record = { ...base };
  if (contentType !== void 0) record["content-type"] = contentType;
  return addHeaders(record, headers, mayHaveLength);
}
function addHeaders(record, headers, mayHaveLength = false) {
  if (headers === void 0) return record;
  for (const [name, value] of headerEntries(headers)) {
    const key = name.toLowerCase();
    const isLength = mayHaveLength && key === "content-length" && /^\d{1,15}$/.test(value);
    const problem = isLength ? void 0 : headerProblem(name, value);
    if (problem !== void 0) throw new TypeError(`\`headers\`: ${problem}.`);
    record[key] = value;
  }
  return record;
}
function headerEntries(headers) {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  return entries.filter((entry2) => entry2[1] !== void 0);
}

// src/client/rate-limit/snapshot.ts
function checkSnapshot(snapshot) {
  const { version: version2, pauses, quotas } = isObject2(snapshot) ? snapshot : {};
  if (version2 !== 1) {
    throw new TypeError("`snapshot` must be what `client.snapshot()` gave: an object with `version: 1`.");
  }
  if (!Array.isArray(pauses) || !Array.isArray(quotas)) {
    throw new TypeError("`snapshot.pauses` and `snapshot.quotas` must be arrays.");
  }
  return {
    version: version2,
    pauses: pauses.map((pause, index) => {
      const { scope, resumeAt } = isObject2(pause) ? pause : {};
      if (typeof scope !== "string" || typeof resumeAt !== "string" || !isIsoTime(resumeAt)) {
        throw new TypeError(`\`snapshot.pauses\`: entry ${index} must have a \`scope\` and an ISO 8601 \`resumeAt\`.`);
      }
      return { scope, resumeAt };
    }),
    quotas: quotas.map((quota, index) => {
      const { scope, limit, windowMs } = isObject2(quota) ? quota : {};
      if (typeof scope !== "string" || !isCount(limit) || !isCount(windowMs)) {
        throw new TypeError(
          `\`snapshot.quotas\`: entry ${index} must have a \`scope\`, a \`limit\` and a \`windowMs\` of 1 or more.`
        );
      }
      return { scope, limit, windowMs };
    })
  };
}
function isObject2(value) {
  return typeof value === "object" && value !== null;
}
function isCount(value) {
  return Number.isSafeInteger(value) && value >= 1;
}
function isIsoTime(text2) {
  return /^[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text2) && !Number.isNaN(Date.parse(text2));
}

// src/client/session/state.ts
function memoryState() {
  let session;
  let login;
  const pauses = /* @__PURE__ */ new Map();
  const listeners = /* @__PURE__ */ new Set();
  const gates = /* @__PURE__ */ new Map();
  const newer = (than, clock = systemClock) => {
    if (session === void 0 || session.generation <= than) return void 0;
    const { generation, headers, since } = session;
    return { generation, headers, ageMs: session.clock === clock ? clock.monotonic() - since : void 0 };
  };
  return {
    newer,
    renew(expired, run, clock = systemClock) {
      const known = newer(expired, clock);
      if (known !== void 0) return Promise.resolve(known);
      login ??= run().then((headers) => {
        const generation = (session?.generation ?? 0) + 1;
        session = { generation, headers, clock, since: clock.monotonic() };
        return { generation, headers, ageMs: 0 };
      }).finally(() => {
        login = void 0;
      });
      return login;
    },
    pause(pause) {
      const known = pauses.get(pause.scope);
      if (known !== void 0 && known.resumeAt >= pause.resumeAt) return;
      pauses.set(pause.scope, pause);
      for (const listener of listeners) listener(pause);
    },
    onPause(listener) {
      listeners.add(listener);
      for (const pause of pauses.values()) listener(pause);
      return () => listeners.delete(listener);
    },
    gate(key, create) {
      const gate = gates.get(key) ?? create();
      gates.set(key, gate);
      return gate;
    }
  };
}

// src/client/settings.ts
var path = readBy((value) => checkPath(value, "path"));
var initialize = optionsOf({
  path: path.default("/initialize"),
  method: option(
    (value) => typeof value === "string" && /^[A-Z]+$/.test(value),
    "must be an HTTP method in capitals",
    true
  ).default("POST"),
  parameters: readBy(readParameters),
  timeoutMs: timeLimit.default(6e4)
});
var remaining = optionsOf({
  header: headerNameOption,
  resetHeader: headerNameOption,
  resetFormat: waitFormatOption.default("auto")
});
var rateLimit = optionsOf({
  header: headerNameOption.default("Retry-After"),
  format: waitFormatOption.default("auto"),
  fallbackWaitMs: duration().default(6e4),
  maxWaitMs: duration({ endless: true }).default(24 * 36e5),
  maxTotalWaitMs: duration({ endless: true }).default(Number.POSITIVE_INFINITY),
  onLimit: oneOf(["wait", "reject"]).default("wait"),
  jitterMs: duration().default(100),
  remaining: remaining.optional(),
  scope: functionOf().optional()
});
var retry = optionsOf({
  retries: count(0).default(5),
  minTimeoutMs: duration().default(500),
  maxTimeoutMs: duration().default(3e4)
});
var schema = optionsOf({
  baseUrl: readBy(splitBaseUrl),
  initialize: z4.union([functionOf(), initialize], {
    error: "must be an object with `parameters`, or a function"
  }),
  cleanup: optionsOf({ path: path.default("/cleanup") }).optional(),
  rateLimit: rateLimit.prefault({}),
  retry: retry.prefault({}),
  timeoutMs: timeLimit.default(3e4),
  totalTimeoutMs: timeLimit.optional(),
  concurrency: count(1).default(64),
  pacing: oneOf(["auto", "off"]).default("auto"),
  snapshot: z4.unknown().optional(),
  maxResponseBytes: count(1).default(10 * 1024 * 1024),
  maxStreamBytes: count(1).default(Number.POSITIVE_INFINITY),
  freshSessionGraceMs: duration().default(3e3),
  loginCooldownMs: duration().default(3e4),
  dispatcher: withMethods("dispatch").optional(),
  fetch: functionOf().optional(),
  headers: anyObject().optional(),
  parseJson: functionOf().optional(),
  clock: withMethods("now", "monotonic", "setTimer").default(() => systemClock),
  state: withMethods("renew", "pause", "onPause").default(() => memoryState())
});
function checkOptions3(options) {
  const { baseUrl, snapshot, headers, ...settings } = checkOptions(schema, options);
  if (settings.dispatcher !== void 0 && settings.fetch !== void 0) {
    throw new TypeError("`dispatcher` and `fetch` exclude each other.");
  }
  return {
    ...settings,
    ...baseUrl,
    /** What every request carries. */
    headers: toBaseHeaders(headers, settings.fetch === void 0),
    snapshot: snapshot === void 0 ? void 0 : checkSnapshot(snapshot)
  };
}
function checkTimeout(value, fallback, name) {
  if (value === void 0) return fallback;
  return typeof value === "number" && value > 0 ? value : checkOptions(timeLimit, value, name);
}
function checkGrace(value) {
  return checkOptions(duration(), value, "graceMs");
}
var priority = option(Number.isFinite, "must be a finite number", true);
function checkPriority(value) {
  if (value === void 0) return 0;
  return Number.isFinite(value) ? value : checkOptions(priority, value, "priority");
}
var responseType = oneOf(["auto", "json", "text", "bytes", "stream"]);
function checkResponseType(value) {
  return value === void 0 ? "auto" : checkOptions(responseType, value, "responseType");
}
var requestOptions = new Set(
  Object.keys({
    method: true,
    path: true,
    query: true,
    json: true,
    body: true,
    headers: true,
    schema: true,
    responseType: true,
    signal: true,
    idempotent: true,
    timeoutMs: true,
    totalTimeoutMs: true,
    priority: true
  })
);
function checkRequestOptions(request) {
  for (const name in request) {
    if (!requestOptions.has(name)) throw new TypeError(`\`${name}\` ${notAnOption([name], [...requestOptions])}.`);
  }
}
function splitBaseUrl(baseUrl) {
  const url = typeof baseUrl === "string" && URL.canParse(baseUrl) ? new URL(baseUrl) : void 0;
  if (url === void 0 || !["http:", "https:"].includes(url.protocol)) {
    throw new TypeError('must be an http or https URL, such as "http://127.0.0.1:4000"');
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new TypeError("must hold no credentials, query or fragment");
  }
  return { origin: url.origin, basePath: url.pathname.replace(/\/+$/, "") };
}
function readParameters(parameters) {
  if (typeof parameters !== "object" || parameters === null) {
    throw new TypeError("must be an array of { key, value, sensitive } or a record of strings");
  }
  const list2 = Array.isArray(parameters) ? parameters : Object.entries(parameters).map(([key, value]) => ({
    key,
    value,
    sensitive: typeof value !== "string" || isSecret({ key, value })
  }));
  return list2.map((parameter, index) => {
    const { key, value, sensitive = true } = parameter ?? {};
    if (typeof key !== "string" || key === "") throw new TypeError(`must have a key in entry ${index}`);
    if (typeof value !== "string") throw new TypeError(`must have a string as the value of "${key}"`);
    return { key, value, sensitive };
  });
}

// src/client/call/budget.ts
async function withBudget(budgetMs, clock, call, perform) {
  const controller = new AbortController();
  const timer = clock.setTimer(checkTimeout(budgetMs, 0, "totalTimeoutMs"), () => {
    const message = `no answer within the \`totalTimeoutMs\` of ${budgetMs} ms`;
    controller.abort(new RequestError(message, { code: "BUDGET_EXCEEDED", request: call.request }));
  });
  const signal = call.signal === void 0 ? controller.signal : AbortSignal.any([call.signal, controller.signal]);
  try {
    return await perform({ ...call, signal });
  } finally {
    timer.cancel();
  }
}

// src/client/http/request-body.ts
import { Readable } from "node:stream";

// src/client/http/multipart.ts
import { randomUUID } from "node:crypto";
function toMultipart(form) {
  const boundary = `concordat-${randomUUID()}`;
  const parts = [];
  for (const [name, value] of form) {
    const head = `--${boundary}\r
content-disposition: form-data; name="${escapeName(name)}"`;
    if (typeof value === "string") parts.push(`${head}\r
\r
${value}\r
`);
    else {
      const type = value.type || "application/octet-stream";
      parts.push(`${head}; filename="${escapeName(value.name)}"\r
content-type: ${type}\r
\r
`, value, "\r\n");
    }
  }
  parts.push(`--${boundary}--\r
`);
  return { contentType: `multipart/form-data; boundary=${boundary}`, fixed: new Blob(parts) };
}
function escapeName(name) {
  return name.replace(/\r/g, "%0D").replace(/\n/g, "%0A").replace(/"/g, "%22");
}

// src/client/http/request-body.ts
var noBody = { contentType: void 0 };
function toBodySource(options) {
  const { json, body } = options;
  if (json !== void 0) {
    if (body !== void 0) throw new TypeError("`json` and `body` exclude each other.");
    return { contentType: "application/json", fixed: toJson(json) };
  }
  if (body === void 0 || body === null) return noBody;
  if (typeof body === "function") return { ...noBody, factory: body, mayHaveLength: true };
  if (body instanceof URLSearchParams) {
    return { contentType: "application/x-www-form-urlencoded;charset=UTF-8", fixed: body.toString() };
  }
  if (body instanceof FormData) return toMultipart(body);
  const fixed = checkBody(body, "`body`");
  return { contentType: fixed.type || void 0, fixed, mayHaveLength: isStream(fixed) };
}
var BodyFeed = class {
  #source;
  #made;
  /** How many tries there were. */
  sends = 0;
  constructor(source) {
    this.#source = source;
  }
  /** Whether {@link body} can be sent as it is; else {@link prepare} it. */
  get ready() {
    return this.#source.factory === void 0 || this.#made !== void 0;
  }
  /** Whether one more try can be made: a stream without a factory is used up by the first. */
  get replayable() {
    return this.#source.factory !== void 0 || this.sends === 0 || !isStream(this.#source.fixed);
  }
  get body() {
    return this.#made ?? this.#source.fixed;
  }
  /** @throws what the factory throws, or TypeError when it returns nothing that can be sent. */
  async prepare(signal) {
    const made = checkBody(await this.#source.factory?.(), "What the `body` factory returns");
    if (signal?.aborted) discard(made);
    else this.#made = made;
  }
  /** A try with the body is over. */
  sent() {
    this.sends++;
    this.release();
  }
  /** Lets go of a body that was made and not sent; one that the caller gave is left alone until it is used. */
  release() {
    discard(this.#made);
    if (this.sends > 0) discard(this.#source.fixed);
    this.#made = void 0;
  }
};
function isStream(body) {
  return typeof body === "object" && !(body instanceof Uint8Array || body instanceof Blob);
}
function discard(body) {
  if (body instanceof Readable) body.destroy();
  else if (body instanceof ReadableStream) {
    if (!body.locked) void body.cancel().catch(() => {
    });
  } else if (isStream(body)) {
    void Promise.resolve(body.return?.(void 0)).catch(() => {
    });
  }
}
function checkBody(body, what) {
  if (typeof body === "string" || body instanceof Uint8Array || body instanceof Blob) return body;
  if (typeof body === "object" && body !== null && Symbol.asyncIterator in body) return body;
  throw new TypeError(
    `${what} must be a string, a Uint8Array or Buffer, a Blob or File, a Node or web stream, or an async iterable${what === "`body`" ? ", a FormData or URLSearchParams" : ""}; use \`json\` for objects.`
  );
}
function toJson(json) {
  let text2;
  try {
    text2 = JSON.stringify(json);
  } catch (cause) {
    throw new TypeError(`\`json\` cannot be written as JSON: ${cause.message}`, { cause });
  }
  if (text2 === void 0) throw new TypeError(`\`json\` cannot be written as JSON: it is a ${typeof json}.`);
  return text2;
}

// src/client/http/schema.ts
function checkSchema(schema2) {
  if (schema2 === void 0) return void 0;
  const { safeParse, "~standard": standard } = schema2 ?? {};
  if (typeof safeParse === "function" || typeof standard?.validate === "function") return schema2;
  throw new TypeError(
    "`schema` must be a Standard Schema (of zod, valibot, ArkType, \u2026) or have a method `safeParse`; it is neither."
  );
}
function applySchema(schema2, value) {
  if ("safeParse" in schema2) {
    try {
      return accepted(schema2.safeParse(value));
    } catch (error) {
      if (error instanceof Unreadable || !("~standard" in schema2)) throw toUnreadable(error);
    }
  }
  try {
    const result = schema2["~standard"].validate(value);
    return result instanceof Promise ? result.then(outputOf).catch(rethrow) : outputOf(result);
  } catch (error) {
    throw toUnreadable(error);
  }
}
function accepted(result) {
  if (result?.success === true && "data" in result) return result.data;
  if (result?.success === false) throw misfit(result.error?.issues, result.error);
  throw new TypeError("`schema.safeParse` must return { success: true, data } or { success: false, error }");
}
function outputOf(result) {
  if (result.issues === void 0) return result.value;
  throw misfit(result.issues, Object.assign(new Error("The data does not fit the schema."), { issues: result.issues }));
}
function rethrow(error) {
  throw toUnreadable(error);
}
function toUnreadable(error) {
  if (error instanceof Unreadable) return error;
  return new Unreadable("INVALID_DATA", "`schema` threw an error instead of checking the data", error);
}
function misfit(issues, cause) {
  const list2 = issues ?? [];
  const shown = list2.slice(0, 3).map(({ path: path2, message }) => `${path2?.map(keyOf).join(".") || "(whole)"}: ${message}`);
  const more = list2.length > shown.length ? ` (and ${list2.length - shown.length} more)` : "";
  return new Unreadable("INVALID_DATA", `the data does not fit \`schema\`: ${shown.join("; ")}${more}`, cause);
}
function keyOf(segment) {
  return String(typeof segment === "object" ? segment.key : segment);
}

// src/client/call/call.ts
function toCall(request, settings, gates) {
  const { method, path: path2 } = checkRequest(request, settings);
  const body = toBodySource(request);
  const schema2 = checkSchema(request.schema);
  return {
    target: toTarget(settings.basePath, path2, request.query),
    request: { method, path: withoutQuery(path2) },
    headers: toHeaderRecord(settings.headers, request.headers, body),
    body,
    schema: schema2,
    reading: {
      method,
      responseType: checkResponseType(request.responseType),
      isChecked: schema2 !== void 0,
      parseJson: settings.parseJson
    },
    idempotent: request.idempotent,
    timeoutMs: checkTimeout(request.timeoutMs, settings.timeoutMs, "timeoutMs"),
    signal: request.signal,
    lane: gates.for({ method, path: path2 }),
    priority: checkPriority(request.priority)
  };
}
var commonMethods = /* @__PURE__ */ new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);
function checkRequest(request, base) {
  if (typeof request !== "object" || request === null) throw new TypeError("`request` must be an object.");
  checkRequestOptions(request);
  const path2 = toPath(request.path, base);
  if (commonMethods.has(request.method)) return { method: request.method, path: path2 };
  const method = typeof request.method === "string" ? request.method.toUpperCase() : "";
  if (!/^[A-Z]+$/.test(method) || method === "CONNECT") {
    throw new TypeError(`\`method\` must be an HTTP method, got ${JSON.stringify(request.method)}.`);
  }
  return { method, path: path2 };
}

// src/client/http/read-data.ts
function readData(response, reading) {
  if (response.incoming !== void 0) return response.incoming;
  const { status, body } = response;
  if (status === 204 || status === 205 || status === 304 || reading.method === "HEAD") return void 0;
  const { responseType: responseType2 } = reading;
  const { kind, charset } = mediaTypeOf(headerValue2(response.headers, "content-type") ?? "");
  const type = responseType2 === "auto" ? kind : responseType2;
  if (type === "json") return readJson(body, charset, reading.parseJson);
  if (type === "untyped" && reading.isChecked) {
    const what = body.length === 0 ? "has neither a body nor" : "does not have";
    throw new Unreadable("INVALID_JSON", `JSON was expected, and the answer ${what} a content type${advice(body)}`);
  }
  return type === "bytes" ? new Uint8Array(body) : decode(body, charset);
}
var advice = (body) => body.length === 0 ? "" : "; `responseType: 'json'` reads it as JSON, whatever it says it is";
var jsonType = /^[^;]*[/+]json\s*(;|$)/i;
var textType = /^\s*(?:text\/|application\/(?:xml|x-www-form-urlencoded)\s*(?:;|$)|[^;]*\+xml\s*(?:;|$))/i;
var charsetParameter = /;\s*charset\s*=\s*"?([^\s;"]*)/i;
var latest = { value: "", type: toMediaType("") };
function mediaTypeOf(value) {
  if (value !== latest.value) latest = { value, type: toMediaType(value) };
  return latest.type;
}
function toMediaType(value) {
  const charset = charsetParameter.exec(value)?.[1]?.toLowerCase();
  const textOr = textType.test(value) ? "text" : "bytes";
  const kind = value.trim() === "" ? "untyped" : jsonType.test(value) ? "json" : textOr;
  return { kind, charset: charset === "" || charset === "utf-8" || charset === "utf8" ? void 0 : charset };
}
function textOf(body, contentType) {
  const { kind, charset } = toMediaType(contentType ?? "");
  if (kind === "bytes") return void 0;
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}
var mostLevels = 1e3;
function readJson(body, charset, parse) {
  if (body.length === 0) throw new Unreadable("INVALID_JSON", "JSON was expected, and the answer has no body");
  const text2 = decode(body, charset, "INVALID_JSON");
  if (isNestedDeeper(charset === void 0 ? body : Buffer.from(text2), mostLevels)) {
    throw new Unreadable("INVALID_JSON", `the answer is nested more than ${mostLevels} levels deep`);
  }
  try {
    return parse === void 0 ? JSON.parse(text2) : parse(text2);
  } catch (error) {
    throw new Unreadable("INVALID_JSON", "JSON was expected, and the answer cannot be parsed as such", error);
  }
}
var utf8 = new TextDecoder("utf-8", { fatal: true });
function decode(bytes, charset, code2 = "INVALID_TEXT") {
  const decoder = decoderOf(charset, bytes);
  try {
    return decoder.decode(bytes);
  } catch {
    const problem = `the answer is not valid ${decoder.encoding}, which its content type makes it`;
    throw new Unreadable(code2, `${problem}; \`responseType: 'bytes'\` gives it as it is`);
  }
}
function decoderOf(charset, [first, second]) {
  const mayBeMarked = charset === void 0 || charset === "utf-16";
  const bigEndian = mayBeMarked && first === 254 && second === 255;
  const littleEndian = mayBeMarked && first === 255 && second === 254;
  const label = bigEndian ? "utf-16be" : littleEndian ? "utf-16le" : charset;
  if (label === void 0) return utf8;
  try {
    return new TextDecoder(label, { fatal: true });
  } catch {
    const problem = `the answer is in the charset ${named(label)}, which is not known`;
    throw new Unreadable("INVALID_TEXT", `${problem}; \`responseType: 'bytes'\` gives it as it is`);
  }
}

// src/client/http/read-error.ts
function readErrorContent(response, secrets, kind = kindOfStatus(response.status)) {
  const { status } = response;
  const text2 = response.end === "whole" ? new TextDecoder().decode(response.body) : void 0;
  const payload = text2 === void 0 ? void 0 : parseErrorPayload(text2, "")?.errors;
  const problem = payload === void 0 && text2 !== void 0 && isProblem(response) ? parseProblem(text2) : void 0;
  const said = payload ?? problem;
  if (said === void 0) {
    const message2 = `${errorTable[kind].message} (${noBody2[response.end]})`;
    return { status, code: void 0, message: message2, detail: void 0, origin: "unknown" };
  }
  const redact = createRedact(secrets);
  const { code: code2, message, detail } = said;
  return {
    status,
    code: code2 === "" || showsSecret(code2, secrets) ? void 0 : cleanCode(code2),
    message: cleanMessage(redact(message)),
    detail: detail === void 0 ? void 0 : cleanDetail(redact(detail)),
    origin: payload === void 0 ? "unknown" : "connector"
  };
}
function isProblem({ headers }) {
  return /^application\/problem\+json\s*(;|$)/i.test(headerValue2(headers, "content-type") ?? "");
}
var noBody2 = {
  whole: "the answer has no error body of the connector contract",
  cut: "the body of the answer was cut off",
  "too-large": "the body of the answer is too large to be an error body",
  packed: "the body of the answer could not be unpacked"
};
var openHeaders = /* @__PURE__ */ new WeakMap();
function markOpenHeaders(headers, names2) {
  openHeaders.set(headers, names2);
}
function sessionSecrets(headers) {
  const open = openHeaders.get(headers);
  return Object.entries(headers).flatMap(([name, value]) => open?.has(name) ? [] : headerParts(name, value));
}
var credentialHeaders = /* @__PURE__ */ new Set(["authorization", "proxy-authorization", "cookie", "x-api-key"]);
function credentialSecrets(headers) {
  return Object.entries(headers).flatMap(
    ([name, value]) => credentialHeaders.has(name.toLowerCase()) ? headerParts(name, value) : []
  );
}
var classes = {
  "bad-request": BadRequestError,
  unauthorized: UnauthorizedError,
  forbidden: ForbiddenError,
  "not-found": NotFoundError
};
function toConnectorError(response, request, content, note = "") {
  const kind = kindOfStatus(response.status);
  const options = { code: content.code, detail: content.detail, origin: content.origin, request };
  const message = content.message + note;
  if (kind === "other" || kind === "rate-limit")
    return new ConnectorError(message, { ...options, status: response.status });
  return new classes[kind](message, options);
}

// src/client/http/read-success.ts
var ReceivedResponse = class {
  status;
  data;
  #wireHeaders;
  #headers;
  constructor({ status, headers }, data) {
    this.status = status;
    this.data = data;
    this.#wireHeaders = headers;
  }
  /** Made when first asked for: most callers only want the data. */
  get headers() {
    this.#headers ??= toHeaders(this.#wireHeaders);
    return this.#headers;
  }
};
function toHeaders(wireHeaders) {
  const headers = new Headers();
  for (const [name, value] of Object.entries(wireHeaders)) {
    for (const item of Array.isArray(value) ? value : [value ?? ""]) headers.append(name, item);
  }
  return headers;
}
function readSuccess(response, reading, schema2) {
  const value = readData(response, reading);
  if (schema2 === void 0 || response.status === 304) return new ReceivedResponse(response, value);
  const data = applySchema(schema2, value);
  if (data instanceof Promise) return data.then((checked) => new ReceivedResponse(response, checked));
  return new ReceivedResponse(response, data);
}
function incompleteBody(response, request, { bound = "`maxResponseBytes`", note = "", secrets = [] } = {}) {
  const { status, end, error } = response;
  if (end === "too-large") {
    return new RequestError(`the answer is larger than ${bound}`, { code: "RESPONSE_TOO_LARGE", request, status });
  }
  if (end === "packed") {
    const why = cleanMessage(createRedact(secrets)(error.message));
    return new RequestError(`the answer cannot be unpacked: ${why}`, { code: "INVALID_ENCODING", request, status });
  }
  const message = `the connection ended in the middle of the answer${note}`;
  return new RequestError(message, { code: "NETWORK_ERROR", request, status, cause: withoutQuotes(error) });
}

// src/client/http/error-response.ts
var maxTextBytes = 16 * 1024;
function withResponse(error, response, secrets) {
  return showResponse(error, describeResponse(response, secrets));
}
function showResponse(error, response) {
  return Object.defineProperty(error, "response", { value: response, configurable: true, writable: true });
}
function describeResponse(response, secrets) {
  const redact = createRedact(secrets);
  const { status, body, end } = response;
  const headers = new Headers();
  for (const name in response.headers) {
    const text2 = shownHeader(name, headerValue2(response.headers, name) ?? "", status, redact);
    try {
      headers.set(name, text2);
    } catch {
    }
  }
  const isShown = end === "whole" && body.length <= maxErrorBytes;
  const type = headerValue2(response.headers, "content-type");
  return { status, headers, text: isShown ? limitBytes(redact(textOf(body, type) ?? ""), maxTextBytes) : "" };
}
function shownHeader(name, value, status, redact) {
  if (isSecret({ key: name, value: "" })) return "[redacted]";
  const isRedirect = name === "location" && status >= 300 && status < 400;
  return redact(isRedirect ? originOf(value) : value);
}
var longestOrigin = 270;
function originOf(location) {
  const { protocol, origin } = URL.canParse(location) ? new URL(location) : { protocol: "", origin: "" };
  return (protocol === "http:" || protocol === "https:") && origin.length <= longestOrigin ? origin : "";
}
function readAnswer(response, call, secretsOf) {
  const failed2 = (error) => {
    if (!(error instanceof Unreadable)) throw error;
    const secrets = secretsOf();
    throw withResponse(unreadableAnswer(error, call.request, response, secrets), response, secrets);
  };
  try {
    const read2 = readSuccess(response, call.reading, call.schema);
    return read2 instanceof Promise ? read2.catch(failed2) : read2;
  } catch (error) {
    return failed2(error);
  }
}
function readLimit(response, secrets, mayBeShown) {
  const content = readErrorContent(response, secrets, "rate-limit");
  return mayBeShown ? { ...content, response: describeResponse(response, secrets) } : content;
}
function unreadableAnswer(problem, request, { status }, secrets) {
  const redact = createRedact(secrets);
  const { code: code2, message } = problem;
  const cause = withoutSecrets(withoutQuotes(problem.cause), redact);
  return new RequestError(cleanMessage(redact(message)), { code: code2, request, status, cause });
}
function withoutSecrets(cause, redact) {
  let current = cause;
  for (let depth = 0; depth < 10 && current !== void 0 && current !== null; depth++) {
    const { stack, issues } = typeof current === "object" ? current : {};
    const shown = [current, stack, issues, { ...current }].map(describeValue).join("\n");
    if (redact(shown) !== shown) return void 0;
    current = current?.cause;
  }
  return cause;
}

// src/client/http/sent-body.ts
var BodyFailure = class extends Error {
  constructor(cause) {
    super(`\`body\` failed while it was being sent: ${cause?.message ?? cause}`, { cause });
  }
};
var finalCodes = /^(?:ERR_TLS_CERT_\w+|CERT_\w+|CRL_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)|PATH_LENGTH_EXCEEDED|(?:UND_ERR|HPE)_HEADERS?_OVERFLOW)$/;
function isFinal(outcome) {
  if (outcome.type !== "failed") return false;
  const error = outcome.error;
  return error instanceof BodyFailure || finalCodes.test(String(error?.code ?? error?.cause?.code));
}
function toSentBody(body) {
  if (body === void 0) return noBody3;
  if (body instanceof Blob) {
    if (body.size === 0) return { body: "" };
    const sent2 = {
      length: body.size,
      body: readLazily(
        () => body.stream(),
        (failure) => sent2.failure = failure
      )
    };
    return sent2;
  }
  if (!isStream(body)) return { body };
  const source = body;
  const sent = {
    body: readLazily(
      () => source,
      (failure) => sent.failure = failure
    )
  };
  return sent;
}
var noBody3 = Object.freeze({ body: void 0 });
function bodyFailure(sent, error) {
  const { code: code2 } = error ?? {};
  return sent.failure ?? (code2 === "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH" ? new BodyFailure(error) : void 0);
}
async function* readLazily(open, fail) {
  try {
    for await (const chunk of open()) {
      if (typeof chunk !== "string" && !(chunk instanceof Uint8Array)) {
        throw new TypeError(
          `it gives ${chunk === null ? "null" : `a value of type ${typeof chunk}`}, and must give bytes or text`
        );
      }
      if (chunk.length > 0) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    }
  } catch (error) {
    const failure = new BodyFailure(error);
    fail(failure);
    throw failure;
  }
}

// src/client/rate-limit/refusal.ts
function mayRefuseLimit(remainingMs, limits) {
  return limits.onLimit === "reject" || remainingMs > limits.maxWaitMs || limits.maxTotalWaitMs !== Number.POSITIVE_INFINITY;
}
function limitRefusal(facts) {
  const { remainingMs, resumeAt, waitedMs, limits, content } = facts;
  const why = refusalReason(remainingMs, waitedMs, limits);
  if (why === void 0) return void 0;
  const message = content?.message ?? "The connection is paused by a rate limit.";
  return toRateLimitError(`${message} (until ${resumeAt.toISOString()}: ${why})`, facts);
}
function refusalReason(remainingMs, waitedMs, limits) {
  if (limits.onLimit === "reject") return "not waited for, because `onLimit` is 'reject'";
  if (remainingMs > limits.maxWaitMs) return "longer than `maxWaitMs` allows to wait";
  if (waitedMs + remainingMs > limits.maxTotalWaitMs) return "longer than `maxTotalWaitMs` allows to wait";
  return void 0;
}
function toRateLimitError(message, facts) {
  const { remainingMs, resumeAt, request, content } = facts;
  const error = new RateLimitError(message, {
    status: content?.status ?? 403,
    retryAfterMs: remainingMs,
    resumeAt,
    code: content?.code,
    detail: content?.detail,
    origin: content?.origin,
    request
  });
  return content?.response === void 0 ? error : showResponse(error, content.response);
}

// src/client/retry.ts
var idempotentMethods = /* @__PURE__ */ new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]);
function isIdempotent(method, declared) {
  return declared ?? idempotentMethods.has(method);
}
function retryDelayMs(attempt, options, random) {
  return Math.min(options.maxTimeoutMs, Math.round(options.minTimeoutMs * 2 ** (attempt - 1) * (1 + random)));
}

// src/client/call/failure.ts
function isBodyLost(kind) {
  return kind === "cut" || kind === "too-large" || kind === "packed";
}
function statusOf(outcome) {
  return outcome.type === "answered" ? outcome.status : void 0;
}
function failureOf({ attempt, kind, outcome }, secrets, note = "") {
  const { request } = attempt;
  if (outcome.type === "aborted") {
    return attempt.signal?.aborted ? attempt.signal.reason : closedError(request);
  }
  if (outcome.type === "timeout") {
    const message = `no whole answer within ${Math.ceil(attempt.timeoutMs)} ms${note}`;
    return new RequestError(message, { code: "TIMEOUT", request });
  }
  if (outcome.type === "failed" && outcome.error instanceof BodyFailure) {
    const { message, cause } = outcome.error;
    return new RequestError(message + note, { code: "BODY_FAILED", request, cause });
  }
  if (outcome.type === "failed") {
    const cause = withoutQuotes(outcome.error);
    return new RequestError(explain(outcome.error) + note, { code: "NETWORK_ERROR", request, cause });
  }
  const response = outcome;
  const all = [...secrets, ...credentialSecrets(attempt.headers), ...sessionSecrets(attempt.session?.headers ?? {})];
  const error = errorOf({ attempt, kind, response }, all, note);
  return kind === "unexpected" ? error : withResponse(error, response, all);
}
function errorOf({ attempt, kind, response }, secrets, note) {
  const { request } = attempt;
  const { status } = response;
  if (kind === "redirect") return redirected(response, request, secrets);
  if (kind === "unexpected") {
    const problem = status === 206 ? "a part was sent that was not asked for" : "HTTP has no such status";
    return new RequestError(problem, { code: "UNEXPECTED_STATUS", request, status });
  }
  if (isBodyLost(kind)) return incompleteBody(response, request, { note, secrets });
  if (kind !== "limit") return toConnectorError(response, request, readErrorContent(response, secrets), note);
  const content = readErrorContent(response, secrets, "rate-limit");
  const { clock, pause } = attempt.lane.gate;
  const resumeAt = pause.resumeAt ?? new Date(clock.now());
  const remainingMs = Math.max(0, resumeAt.getTime() - clock.now());
  return toRateLimitError(content.message + note, { remainingMs, resumeAt, request, content });
}
function explain(error) {
  const { message, cause, code: code2 = cause?.code } = error ?? {};
  const text2 = message || cause?.message || "the connection failed";
  return code2 && !text2.includes(code2) ? `${text2} (${code2})` : text2;
}
function redirected(response, request, secrets) {
  const { status } = response;
  if (status === 304) {
    return new RequestError("the request had no condition that it answers", { code: "REDIRECT", request, status });
  }
  const origin = originOf(headerValue2(response.headers, "location") ?? "");
  const target = origin === "" ? "" : ` to ${createRedact(secrets)(origin)}`;
  return new RequestError(
    `the connector redirects${target}; redirects are not followed, because session headers must not leave the origin`,
    { code: "REDIRECT", request, status }
  );
}

// src/client/call/react.ts
var noHistory = { unauthorized: 0, logins: 0, overtaken: 0, retries: 0 };
var transientStatuses = /* @__PURE__ */ new Set([500, 502, 503, 504]);
var mostOvertaken = 5;
var tooEarly = " (not logged in again yet: the last session was refused from the beginning)";
var usedUp = " (not sent again: `body` is a stream that is used up by now; give a factory `() => body` that makes it anew)";
function react(history, facts) {
  const { kind, session } = facts;
  if (kind === "held-back") return { reaction: { type: "again" }, history };
  if (kind === "limit") {
    return { reaction: facts.isResendable ? { type: "again" } : { type: "fail", note: usedUp }, history };
  }
  if (kind === "unauthorized" && session !== void 0) return reactToUnauthorized(history, facts, session);
  const isTransient = kind === "timeout" || kind === "failed" || kind === "cut" || kind === "error" && transientStatuses.has(facts.status);
  if (!isTransient || !facts.isIdempotent || facts.retriesLeft <= 0) return { reaction: { type: "fail" }, history };
  if (!facts.isResendable) return { reaction: { type: "fail", note: usedUp }, history };
  const number = history.retries + 1;
  return { reaction: { type: "retry", number }, history: { ...noHistory, retries: number } };
}
function reactToUnauthorized(before, { isResendable }, session) {
  const { trial, ageMs, graceMs, adopted, coolsDown } = session;
  const isEnded = hasEnded(session) && before.overtaken < mostOvertaken;
  const overtaken = { ...before, overtaken: before.overtaken + 1 };
  const isNews = trial === "none" || trial === "running";
  const counts = before.unauthorized === 0 || !isEnded;
  const counted = counts ? { ...before, unauthorized: before.unauthorized + 1 } : overtaken;
  const history = isNews ? counted : before;
  const step = nextStep(history, ageMs, graceMs);
  if (trial === "lost by this call" || trial === "lost" && step === "try") {
    if (adopted) return { reaction: { type: "log in" }, history };
    return isEnded ? { reaction: { type: "log in" }, history: overtaken } : { reaction: { type: "fail", session: "fruitless" }, history };
  }
  const isOver = step === "log in" && trial !== "running" && !coolsDown;
  const end = isOver ? { session: "over" } : void 0;
  if (!isResendable) return { reaction: { type: "fail", note: usedUp, ...end }, history };
  if (step === "give up") return { reaction: { type: "fail", session: "fruitless" }, history };
  if (step === "try" || trial === "running") return { reaction: { type: "try session" }, history };
  return { reaction: isOver ? { type: "log in" } : { type: "fail", note: tooEarly }, history };
}
function hasEnded({ accepted: accepted2, adopted, ageMs, graceMs }) {
  return accepted2 || adopted && ageMs >= graceMs;
}
function nextStep({ unauthorized, logins }, ageMs, graceMs) {
  if (unauthorized === 1) return "log in";
  if (unauthorized > 2) return "give up";
  if (ageMs < graceMs) return "try";
  return logins < 2 ? "log in" : "give up";
}

// src/client/call/call-run.ts
var CallRun = class {
  #context;
  #call;
  #toResult;
  #feed;
  #history = noHistory;
  #waitedMs = 0;
  /** What the gate said when the call last came to it. */
  #pausedMs = 0;
  /** `undefined` unless it waits there. */
  #waitingSince;
  permit;
  /** Its place in the line, which it keeps through limits and retries. */
  order;
  #limit;
  /** Ends the trial of a session that this call makes for others, too. */
  #endTrial;
  #tried;
  constructor(context, call, toResult) {
    this.#context = context;
    this.#call = call;
    this.#toResult = toResult;
    this.#feed = new BodyFeed(call.body);
  }
  get signal() {
    return this.#call.signal;
  }
  get priority() {
    return this.#call.priority;
  }
  get watch() {
    return this.#call.observer?.attempt;
  }
  /** Asked by the gate: the error with which this call gives up instead of waiting (rule W7). */
  refusal(remainingMs, resumeAt) {
    const { lane, request } = this.#call;
    const limits = this.#context.settings.rateLimit;
    const waitedMs = this.#waitedMs + lane.pausedMs - this.#pausedMs;
    return limitRefusal({ remainingMs, resumeAt, waitedMs, limits, request, content: this.#limit });
  }
  /** A session, a permit and a body, all at the same time: a wait for one may have outlived another. */
  acquire() {
    const { lane, signal } = this.#call;
    const session = this.#context.sessions.current;
    this.#noteWait();
    let permit = this.#takePermit(session);
    if (session === void 0) return this.#logIn();
    if (permit === void 0) {
      this.#pausedMs = lane.pausedMs;
      const entered = lane.enter(this);
      if (entered instanceof Promise) return this.#wait(entered);
      permit = entered;
    }
    if (!this.#feed.ready) {
      lane.leave(permit, "unsent");
      return abortable(this.#feed.prepare(signal), signal);
    }
    return this.#prepare(session, permit);
  }
  deliver({ session }, response) {
    this.#feed.sent();
    this.#context.sessions.accept(session);
    this.#endTrial?.(true);
    const read2 = readAnswer(response, this.#call, () => this.#secrets(session));
    return read2 instanceof Promise ? read2.then(this.#toResult) : this.#toResult(read2);
  }
  async react(setback) {
    const { kind, attempt, outcome } = setback;
    const { sessions } = this.#context;
    const { session } = attempt;
    if (kind !== "held-back") this.#feed.sent();
    if (isBodyLost(kind)) sessions.accept(session);
    if (kind === "limit") this.#meetLimit(outcome, session);
    let trial = sessions.isOnTrial(session) ? "running" : "none";
    let { adopted } = session;
    if (this.#endTrial !== void 0 && kind !== "limit" && kind !== "held-back") {
      const isRefused = kind === "unauthorized";
      if (isRefused) trial = "lost by this call";
      if (session !== this.#tried) adopted = false;
      if (isRefused && !adopted) sessions.condemn(session);
      this.#endTrial(!isRefused);
      this.#endTrial = void 0;
    }
    for (; ; ) {
      const { reaction, history } = react(this.#history, this.#facts(setback, trial, adopted));
      this.#history = history;
      switch (reaction.type) {
        case "fail":
          if (reaction.session === "over") sessions.expire(session);
          if (reaction.session === "fruitless" && trial !== "lost") sessions.condemn(session);
          throw failureOf(setback, this.#secrets(session), reaction.note);
        case "again":
          return;
        case "log in":
          return sessions.expire(session);
        case "retry":
          return this.#backOff(setback, reaction.number);
        case "try session":
          if (trial === "none") {
            this.#endTrial = sessions.beginTrial(session);
            this.#tried = session;
            return sessions.delayTrial(session, this.signal);
          }
          if (await sessions.outcome(session, this.signal)) return;
          trial = "lost";
      }
    }
  }
  fail(failure) {
    return this.#context.failed(this.#call, failure, this.#feed.sends);
  }
  end() {
    if (this.permit !== void 0) this.#call.lane.leave(this.permit, "unsent");
    this.#endTrial?.(true);
    this.#feed.release();
    this.#context.ended();
  }
  /** The permit that it has waited for, where that is still good. */
  #takePermit(session) {
    const { permit } = this;
    this.permit = void 0;
    if (permit === void 0 || session !== void 0 && this.#call.lane.isCurrent(permit)) return permit;
    this.#call.lane.leave(permit, "unsent");
    return void 0;
  }
  #prepare(session, permit) {
    const { request, lane, target, headers, timeoutMs, signal } = this.#call;
    const { sessions, settings } = this.#context;
    return {
      request,
      lane,
      permit,
      session,
      method: request.method,
      target,
      headers: headers === settings.headers ? session.withDefaults : { ...headers, ...session.headers },
      body: this.#feed.body,
      timeoutMs,
      streams: this.#call.reading.responseType === "stream",
      signal,
      mayStart: () => lane.isCurrent(permit) && sessions.current?.generation === session.generation
    };
  }
  /** A login bounds what it waits by itself; what this call waits for several logins is in its own sum (rule G5). */
  #logIn() {
    const { sessions, settings, clock } = this.#context;
    const { lane } = this.#call;
    this.#pausedMs = lane.pausedMs;
    const { askedMs, resumeAt = new Date(clock.now()) } = lane.gate.pause;
    if (this.#waitedMs > settings.rateLimit.maxTotalWaitMs) throw this.refusal(askedMs, resumeAt);
    const since = clock.monotonic();
    const login = Promise.resolve(sessions.acquire(this.signal)).then(({ adopted }) => {
      this.#waitedMs += Math.min(lane.pausedMs - this.#pausedMs, clock.monotonic() - since);
      if (!adopted) this.#history = { ...this.#history, logins: this.#history.logins + 1 };
    });
    return this.#call.observer?.wait(login, () => "login") ?? login;
  }
  #wait(entered) {
    const { lane, observer } = this.#call;
    this.#waitingSince = this.#context.clock.monotonic();
    const reason = () => lane.pausedMs > this.#pausedMs ? "rate-limit" : "queue";
    return observer?.wait(entered, reason) ?? entered;
  }
  #noteWait() {
    if (this.#waitingSince === void 0) return;
    const { settings, clock } = this.#context;
    const pausedMs = this.#call.lane.pausedMs - this.#pausedMs;
    this.#waitedMs += Math.min(pausedMs, clock.monotonic() - this.#waitingSince);
    this.#waitingSince = void 0;
    if (pausedMs > settings.freshSessionGraceMs) this.#history = { ...this.#history, unauthorized: 0, logins: 0 };
  }
  /** @throws where this call parks at any limit: also at one that is over by now. */
  #meetLimit(response, session) {
    const { settings, clock } = this.#context;
    const { askedMs, resumeAt = new Date(clock.now()) } = this.#call.lane.gate.pause;
    this.#limit = readLimit(response, this.#secrets(session), mayRefuseLimit(askedMs, settings.rateLimit));
    if (settings.rateLimit.onLimit === "reject") throw this.refusal(askedMs, resumeAt);
  }
  async #backOff(setback, attempt) {
    const { settings, retrying, sessions } = this.#context;
    const delayMs = retryDelayMs(attempt, settings.retry, Math.random());
    retrying(this.#call, failureOf(setback, this.#secrets(setback.attempt.session)), attempt, delayMs);
    const delay = sessions.sleep(delayMs, this.signal);
    await (this.#call.observer?.wait(delay, () => "retry") ?? delay);
  }
  #facts({ kind, attempt, outcome }, trial, adopted) {
    const { settings, sessions } = this.#context;
    const { retry: retry2, freshSessionGraceMs: graceMs } = settings;
    const { session, permit } = attempt;
    const ageMs = permit.startedAt - session.since;
    return {
      kind,
      status: statusOf(outcome),
      isResendable: this.#feed.replayable,
      isIdempotent: isIdempotent(this.#call.request.method, this.#call.idempotent),
      retriesLeft: isFinal(outcome) ? 0 : retry2.retries - this.#history.retries,
      session: { ageMs, graceMs, adopted, accepted: session.accepted, coolsDown: sessions.coolsDown(session), trial }
    };
  }
  #secrets(session) {
    return [...sessionSecrets(session.headers), ...credentialSecrets(this.#call.headers), ...this.#context.secrets];
  }
};

// src/client/call/observer.ts
var CallObserver = class {
  #options;
  #call;
  #attempts = 0;
  #status;
  constructor(options) {
    this.#options = options;
    this.#call = { method: options.request.method, path: options.request.path };
  }
  /** Runs the call from its first event to its last, inside what tracers want it to run in. */
  async run(perform) {
    const { clock, publish } = this.#options;
    const startedAt = clock.monotonic();
    const call = this.#call;
    const perhaps = this.#begin()(() => perform());
    const end = (failure) => {
      const status = this.#status === void 0 ? {} : { status: this.#status };
      const durationMs = clock.monotonic() - startedAt;
      publish("result", { call, ...status, ...failure, durationMs, attempts: this.#attempts });
    };
    try {
      const result = await perhaps;
      end({});
      return result;
    } catch (error) {
      end({ error });
      throw error;
    }
  }
  /** Tells of a request when it has come to its end; of one that was held back there is nothing to tell. */
  attempt = (answer, startedAt) => {
    if (answer.kind === "held-back") return;
    const { secrets, clock, publish } = this.#options;
    const facts = describeAttempt(answer, secrets, clock.monotonic() - startedAt);
    this.#attempts++;
    this.#status = facts.status;
    publish("attempt", { call: this.#call, ...this.#call, number: this.#attempts, ...facts });
  };
  /** Tells of a wait when it is over, however it ended. */
  async wait(waiting, reason) {
    const { clock, publish } = this.#options;
    const startedAt = clock.monotonic();
    try {
      return await waiting;
    } finally {
      const waitedMs = clock.monotonic() - startedAt;
      publish("wait", { call: this.#call, reason: reason(), waitedMs });
    }
  }
  #begin() {
    let run = (inner) => inner();
    const { headers, publish } = this.#options;
    publish("call", {
      call: this.#call,
      runIn(wrapper) {
        const before = run;
        run = (inner) => before(() => wrapper(inner));
      },
      setHeader(name, value) {
        headers[name.toLowerCase()] ??= value;
      }
    });
    return run;
  }
};
var outcomes = {
  success: "success",
  cut: "success",
  "too-large": "success",
  packed: "success",
  limit: "limit",
  unauthorized: "unauthorized",
  error: "error",
  redirect: "failed",
  unexpected: "failed",
  failed: "failed",
  timeout: "failed",
  aborted: "aborted",
  "held-back": "aborted"
};
function describeAttempt(answer, secrets, durationMs) {
  const { kind, attempt, outcome } = answer;
  const status = statusOf(outcome);
  const failed2 = outcomes[kind] === "failed" || kind === "aborted";
  return {
    outcome: attempt.signal?.aborted && failed2 ? "aborted" : outcomes[kind],
    ...status === void 0 ? {} : { status },
    ...failed2 ? { error: failureOf(answer, secrets) } : {},
    durationMs
  };
}

// src/client/rate-limit/remaining.ts
function readRemaining(headers, options, now) {
  const text2 = headerValue2(headers, options.header.toLowerCase())?.trim();
  if (text2 === void 0 || !/^\d{1,15}$/.test(text2)) return void 0;
  const reset = parseWait(headerValue2(headers, options.resetHeader.toLowerCase()), {
    format: options.resetFormat,
    now,
    date: headerValue2(headers, "date"),
    age: headerValue2(headers, "age")
  });
  return reset.waitMs === void 0 ? void 0 : { left: Number(text2), resetMs: reset.waitMs };
}
function readAnnouncement(headers) {
  const policy = headerValue2(headers, "ratelimit-policy");
  const left = headerValue2(headers, "ratelimit");
  if (policy === void 0 && left === void 0) return void 0;
  const { policies, current } = parseQuota({ policy, current: left });
  const told = current.flatMap(({ left: left2, resetMs }) => resetMs === void 0 ? [] : { left: left2, resetMs });
  const [remaining2] = told.sort((one, other) => one.left - other.left || other.resetMs - one.resetMs);
  return policies.length === 0 && remaining2 === void 0 ? void 0 : { policies, remaining: remaining2 };
}

// src/client/call/release.ts
function release(context, attempt, outcome) {
  const { lane, permit } = attempt;
  if (outcome.type !== "held-back") context.counters.sent++;
  if (outcome.type !== "answered") {
    lane.leave(permit, outcome.type === "held-back" ? "unsent" : "unknown");
    return outcome.type;
  }
  announce(context, attempt, outcome);
  if (outcome.incoming !== void 0) lane.carry(outcome.incoming);
  const kind = classify(outcome, attempt.headers, context);
  if (kind === "limit") {
    context.counters.refused++;
    lane.limited(permit, readWait2(outcome, context));
  } else {
    lane.leave(permit, kind === "unauthorized" ? "unknown" : "passed");
  }
  return kind;
}
function classify({ status, headers, end }, asked, { settings }) {
  if (status === 304 && isConditional(asked)) return "success";
  if (status === 206 && asked.range === void 0 && headers["content-range"] !== void 0) return "unexpected";
  if (status < 300) return end === "whole" ? "success" : end;
  if (status < 400) return "redirect";
  if (status === 401) return "unauthorized";
  if (status === 429) return "limit";
  const isLimit = (status === 403 || status === 503) && waitOf(headers, settings.rateLimit.header) !== void 0;
  if (isLimit) return "limit";
  return status > 599 ? "unexpected" : "error";
}
function isConditional(asked) {
  return asked["if-none-match"] !== void 0 || asked["if-modified-since"] !== void 0;
}
function readWait2({ headers }, { settings, clock }) {
  const { header, format } = settings.rateLimit;
  const date = headerValue2(headers, "date");
  const age = headerValue2(headers, "age");
  return parseWait(waitOf(headers, header), { format, now: clock.now(), date, age }).waitMs;
}
function waitOf(headers, name) {
  return headerValue2(headers, name.toLowerCase());
}
function announce({ settings, clock }, { lane, permit }, { headers }) {
  const { remaining: remaining2 } = settings.rateLimit;
  if (remaining2 !== void 0 && !permit.isLogin) {
    const left = readRemaining(headers, remaining2, clock.now());
    if (left !== void 0) lane.announce(permit, { policies: [], remaining: left }, true);
  }
  const announcement = readAnnouncement(headers);
  if (announcement !== void 0) lane.announce(permit, announcement, false);
}

// src/client/call/road.ts
async function follow(context, run) {
  try {
    for (; ; ) {
      let attempt = run.acquire();
      while (attempt instanceof Promise) {
        await attempt;
        attempt = run.acquire();
      }
      const startedAt = run.watch === void 0 ? 0 : context.clock.monotonic();
      const outcome = await context.transport.send(attempt);
      const kind = release(context, attempt, outcome);
      run.watch?.({ attempt, kind, outcome }, startedAt);
      if (kind === "success") {
        const result = run.deliver(attempt, outcome);
        return result instanceof Promise ? await result : result;
      }
      await run.react({ attempt, kind, outcome });
    }
  } catch (failure) {
    throw run.fail(failure);
  } finally {
    run.end();
  }
}

// src/client/http/unpack-stream.ts
import { pipeline, Readable as Readable2, Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
var unpackers2 = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  br: createBrotliDecompress,
  deflate: createInflate
};
function unpackStream(stream, encoding, { request, status, maxBytes }) {
  const layers = layersOf(encoding);
  if (layers.length === 0) return stream;
  const [name = ""] = layers;
  const invalid = (message, cause) => new RequestError(`the answer cannot be unpacked: ${message}`, { code: "INVALID_ENCODING", request, status, cause });
  if (layers.length > 1 || !Object.hasOwn(unpackers2, name)) {
    void stream.cancel().catch(() => {
    });
    throw invalid("its content-encoding is not known");
  }
  let size = 0;
  let broken;
  const packed = Readable2.fromWeb(stream);
  packed.once("error", (error) => {
    broken = error;
  });
  const counted = new Transform({
    transform(chunk, _encoding, done) {
      size += chunk.length;
      const isTooLarge = size > maxBytes;
      const message = "the answer is larger than `maxStreamBytes`";
      done(isTooLarge ? new RequestError(message, { code: "RESPONSE_TOO_LARGE", request, status }) : null, chunk);
    },
    destroy(error, done) {
      const isKnown = error === null || error === broken || error instanceof RequestError;
      done(isKnown ? error : invalid(error.message, error));
    }
  });
  pipeline(packed, unpackers2[name](), counted, () => {
  });
  return Readable2.toWeb(counted);
}

// src/client/call/streamed-body.ts
var aheadBytes = 256 * 1024;
var mostFruitless = 3;
var StreamedBody = class {
  #options;
  #incoming;
  #receivedBytes = 0;
  #fruitless = 0;
  #isOver = false;
  #controller;
  stream;
  constructor(incoming, options) {
    this.#options = options;
    this.#incoming = incoming;
    this.stream = new ReadableStream(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#incoming.resume(),
        cancel: () => this.#over()
      },
      new ByteLengthQueuingStrategy({ highWaterMark: aheadBytes })
    );
    incoming.pipe(this);
  }
  push(chunk) {
    if (this.#isOver) return;
    this.#fruitless = 0;
    this.#receivedBytes += chunk.length;
    const { maxBytes, wholeBytes, request } = this.#options;
    if (wholeBytes !== void 0 && this.#receivedBytes > wholeBytes) {
      this.#fail(this.#misfit());
      return;
    }
    if (this.#receivedBytes > maxBytes) {
      this.#fail(
        new RequestError("the answer is larger than `maxStreamBytes`", { code: "RESPONSE_TOO_LARGE", request })
      );
      return;
    }
    this.#controller?.enqueue(chunk);
    if (!this.#hasRoom) this.#incoming.pause();
  }
  end() {
    if (this.#isOver) return;
    const { wholeBytes = this.#receivedBytes } = this.#options;
    if (this.#receivedBytes < wholeBytes) {
      this.break({ type: "failed", error: this.#misfit() });
      return;
    }
    this.#isOver = true;
    this.#controller?.close();
  }
  break(how) {
    if (this.#isOver) return;
    if (how.type === "aborted") this.#fail(how.reason);
    else void this.#goOn(how);
  }
  #misfit() {
    const { wholeBytes, request } = this.#options;
    const message = `${this.#receivedBytes} bytes came where \`content-length\` says ${wholeBytes}`;
    return new RequestError(message, { code: "NETWORK_ERROR", request });
  }
  get #hasRoom() {
    return (this.#controller?.desiredSize ?? 0) > 0;
  }
  /** The rest is asked for, where the connector can send it alone. */
  async #goOn(how) {
    const { goOn, toError } = this.#options;
    if (goOn === void 0 || ++this.#fruitless > mostFruitless) return this.#fail(toError(how, void 0));
    let next;
    try {
      next = await goOn(this.#receivedBytes);
    } catch (cause) {
      return this.#fail(this.#options.signal?.aborted ? cause : toError(how, cause));
    }
    if (this.#isOver) return next.destroy();
    this.#incoming = next;
    next.pipe(this);
    if (this.#hasRoom) next.resume();
  }
  #fail(error) {
    if (this.#isOver) return;
    this.#over();
    this.#controller?.error(error);
  }
  #over() {
    this.#isOver = true;
    this.#incoming.destroy();
  }
};

// src/client/call/stream.ts
function toStreamRequest(request) {
  if (request.schema !== void 0) throw new TypeError("`schema` and `responseType: 'stream'` exclude each other.");
  return withHeaders(request, { "accept-encoding": "identity", ...toRecord(request.headers) });
}
function toStreamed(answer, {
  request,
  asked,
  settings,
  open
}) {
  const { status, headers } = answer;
  const { stream } = new StreamedBody(answer.data, {
    request,
    maxBytes: settings.maxStreamBytes,
    wholeBytes: asked.method === "HEAD" ? void 0 : lengthOf(headers),
    signal: asked.signal,
    goOn: toGoOn(answer, asked, open),
    toError: (how, cause) => toBreakError(how, { request, status, cause, timeoutMs: asked.timeoutMs ?? settings.timeoutMs })
  });
  const encoding = headers.get("content-encoding");
  if (encoding === null) return { status, headers, data: stream };
  const data = unpackStream(stream, encoding, { request, status, maxBytes: settings.maxStreamBytes });
  return { status, headers, data };
}
function toGoOn({ status, headers }, asked, open) {
  const etag = headers.get("etag") ?? "";
  const length = lengthOf(headers);
  const before = toRecord(asked.headers);
  const isWhole = asked.method === "GET" && status === 200 && before.range === void 0 && length !== void 0;
  if (!isWhole || headers.get("accept-ranges") !== "bytes" || !etag.startsWith('"')) return void 0;
  const priority2 = Number.MAX_VALUE;
  return async (from) => {
    const rest = await open({
      ...withHeaders(asked, { ...before, range: `bytes=${from}-`, "if-range": etag }),
      priority: priority2
    });
    const [, first, whole] = /^bytes (\d+)-\d+\/(\d+)$/.exec(rest.headers.get("content-range") ?? "") ?? [];
    const isSame2 = ["etag", "content-encoding"].every((name) => rest.headers.get(name) === headers.get(name));
    if (rest.status === 206 && Number(first) === from && Number(whole) === length && isSame2) return rest.data;
    rest.data.destroy();
    const what = rest.status === 206 ? "a part of something else" : rest.status;
    throw new Error(`the connector answered ${what} to \`range: bytes=${from}-\``);
  };
}
function lengthOf(headers) {
  const length = headers.get("content-length") ?? "";
  return /^\d{1,15}$/.test(length) ? Number(length) : void 0;
}
function toBreakError(how, facts) {
  const { request, status, timeoutMs } = facts;
  const cause = withoutQuotes(facts.cause ?? (how.type === "failed" ? how.error : void 0));
  if (how.type === "timeout") {
    return new RequestError(`nothing more came within ${timeoutMs} ms`, { code: "TIMEOUT", request, status, cause });
  }
  const message = `the connection ended in the middle of the answer: ${explain(how.error)}`;
  return new RequestError(message, { code: "NETWORK_ERROR", request, status, cause });
}
function withHeaders(request, headers) {
  return { ...request, headers };
}
function toRecord(headers) {
  return Object.fromEntries(headerEntries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
}

// src/client/call/calls.ts
var Calls = class {
  #options;
  #context;
  #active = 0;
  #streams = /* @__PURE__ */ new Map();
  #onIdle;
  constructor(options) {
    const { settings, transport, counters, sessions, secrets, events } = options;
    this.#options = options;
    this.#context = {
      settings,
      transport,
      counters,
      sessions,
      secrets,
      clock: settings.clock,
      retrying: ({ request }, error, attempt, delayMs) => {
        counters.retries++;
        events.emit("retry", { ...request, attempt, delayMs, error });
      },
      failed: (call, failure, attempts) => this.#failed(call, failure, attempts),
      ended: () => {
        this.#active--;
        if (this.#active === 0) this.#onIdle?.();
      }
    };
  }
  /** Settles when no call is under way. */
  async idle() {
    if (this.#active > 0) await new Promise((resolve) => this.#onIdle = resolve);
  }
  /** @returns what `toResult` makes of the response. @throws (rejects) as {@link ConnectorClient.request} does. */
  run(request, toResult) {
    return request?.responseType === "stream" ? this.#stream(request, toResult) : this.#run(request, toResult);
  }
  /** A call whose body is read while it arrives; each part of it that has to be asked for anew is a call of its own. */
  async #stream(request, toResult) {
    const { settings } = this.#options;
    const { method, path: path2 } = checkRequest(request, settings);
    const asked = toStreamRequest({ ...request, method });
    const failed2 = { method, path: withoutQuery(path2) };
    const open = (again) => this.#run(again, (answer2) => this.#carry(answer2, failed2));
    const answer = await open(asked);
    return toResult(toStreamed(answer, { request: failed2, asked, settings, open }));
  }
  /** A body that is still arriving is under way like a call. */
  #carry(answer, request) {
    const { data: incoming } = answer;
    this.#active++;
    this.#streams.set(incoming, request);
    incoming.whenOver(() => {
      this.#streams.delete(incoming);
      this.#context.ended();
    });
    return answer;
  }
  /** The client does not wait any longer for bodies that are still being read. */
  endStreams() {
    for (const [incoming, request] of this.#streams) incoming.finish({ type: "aborted", reason: closedError(request) });
  }
  #run(request, toResult) {
    try {
      const { settings, gates, closing, counters, events } = this.#options;
      if (closing.aborted) {
        const { method, path: path2 } = checkRequest(request, settings);
        throw closedError({ method, path: withoutQuery(String(path2)) });
      }
      const call = toCall(request, settings, gates);
      if (request.signal !== void 0) expectManyListeners(request.signal).throwIfAborted();
      counters.calls++;
      const budgetMs = request.totalTimeoutMs ?? settings.totalTimeoutMs;
      return events.watchesCalls ? this.#watch(call, toResult, budgetMs) : this.#go(call, toResult, budgetMs);
    } catch (error) {
      return Promise.reject(error);
    }
  }
  #go(call, toResult, budgetMs) {
    const go = (bounded) => {
      this.#active++;
      return follow(this.#context, new CallRun(this.#context, bounded, toResult));
    };
    return budgetMs === void 0 ? go(call) : withBudget(budgetMs, this.#options.settings.clock, call, go);
  }
  #watch(call, toResult, budgetMs) {
    const { settings, events, secrets } = this.#options;
    const headers = { ...call.headers };
    const observer = new CallObserver({
      request: call.request,
      headers,
      secrets,
      clock: settings.clock,
      publish: events.publish
    });
    return observer.run(() => this.#go({ ...call, headers, observer }, toResult, budgetMs));
  }
  /** Tells of a call that failed. @returns the error as the caller gets it. */
  #failed(call, failure, attempts) {
    const closed = failure instanceof RequestError && failure.code === "CLIENT_CLOSED";
    const error = closed ? closedError(call.request) : failure;
    if (error instanceof RequestError || isConnectorError(error)) Object.assign(error, { attempts });
    if (!call.signal?.aborted) this.#options.events.emit("error", { ...call.request, error });
    return error;
  }
};

// src/client/call/cleanup.ts
async function cleanUp(options) {
  const { transport, target, timeoutMs, session } = options;
  const request = { method: "POST", path: target };
  const headers = { ...options.headers, ...session.headers };
  const outcome = await transport.send({
    method: "POST",
    target,
    headers,
    body: void 0,
    timeoutMs,
    signal: void 0,
    mayStart: () => true
  });
  if (outcome.type !== "answered") {
    const code2 = outcome.type === "timeout" ? "TIMEOUT" : "NETWORK_ERROR";
    throw new RequestError("the session could not be cleaned up", { code: code2, request });
  }
  if (outcome.status >= 400 && outcome.status !== 401) {
    throw toConnectorError(outcome, request, readErrorContent(outcome, sessionSecrets(session.headers)));
  }
}

// src/client/session/login-response.ts
function toHeaders2(value, status, what) {
  const parameters = toSessionParameters(value);
  if (parameters === void 0) {
    throw new InitializeError(
      `${what} answered with something that is no session: an array of { key, value } or an object of strings is expected`,
      { status }
    );
  }
  const [problem] = sessionProblems(parameters);
  if (problem !== void 0) throw new InitializeError(`${what} answered with a bad session: ${problem}`, { status });
  const session = Object.fromEntries(parameters.map(({ key, value: header }) => [key.toLowerCase(), header]));
  const open = /* @__PURE__ */ new Set();
  for (const [index, { key, value: header }] of parameters.entries()) {
    const sensitive = Array.isArray(value) ? value[index].sensitive : void 0;
    if (!isSecret({ key, value: header, sensitive })) open.add(key.toLowerCase());
  }
  markOpenHeaders(session, open);
  return session;
}
var refusals = /* @__PURE__ */ new Set([400, 401, 403]);
function toInitializeError(error, signal) {
  if (
    // The signal alone says nothing: a login that was given up and joined again may be refused all the same.
    signal.aborted && error === signal.reason || error instanceof AbandonedLogin || error instanceof InitializeError || isConnectorError(error, "rate-limit")
  )
    return error;
  if (isConnectorError(error)) {
    const refused = refusals.has(error.status);
    const message = `The login was ${refused ? "refused" : "not possible"}: ${error.message}`;
    return new InitializeError(message, {
      status: error.status,
      code: error.origin === "connector" ? error.code : void 0,
      refused,
      cause: error
    });
  }
  if (error instanceof RequestError) {
    return new InitializeError(`The login failed: ${error.message}`, {
      status: error.status,
      cause: error
    });
  }
  return new InitializeError("The login failed: the `initialize` function threw an error", {
    cause: withoutQuotes(error)
  });
}

// src/client/rate-limit/wait-queue.ts
var loginPriority = Number.POSITIVE_INFINITY;
var WaitQueue = class {
  #heap = [];
  /** The latest waiter of each signal: thousands may share one, and a listener for each would cost O(n) to take away. */
  #bySignal = /* @__PURE__ */ new Map();
  #onGone;
  /** @param onGone called when a waiter left before its turn, because of its signal. */
  constructor(onGone) {
    this.#onGone = onGone;
  }
  get size() {
    return this.#heap.length;
  }
  /** Who is next. */
  get first() {
    return this.#heap[0]?.waiter;
  }
  /** Resolves when `waiter.permit` is there. @throws (rejects with) the signal's reason, or what it was rejected with. */
  wait(waiter) {
    return new Promise((resolve, reject) => {
      const entry2 = new Entry(waiter, resolve, reject);
      this.#place(entry2, this.#heap.length);
      this.#rise(entry2);
      if (waiter.signal !== void 0) this.#listen(waiter.signal, entry2);
    });
  }
  /** Serves the next in line. */
  next(permit) {
    const entry2 = this.#heap[0];
    this.#take(entry2);
    entry2.waiter.permit = permit;
    entry2.resolve();
  }
  /** Rejects everybody for whom `judge` has an error; asks each of them, so it costs O(n). */
  rejectWhere(judge) {
    for (const entry2 of [...this.#heap]) {
      const error = judge(entry2.waiter);
      if (error === void 0) continue;
      this.#take(entry2);
      entry2.reject(error);
    }
  }
  #onAbort = (event) => {
    const signal = event.target;
    const leaving = [];
    for (let entry2 = this.#bySignal.get(signal); entry2 !== void 0; entry2 = entry2.earlier) leaving.push(entry2);
    for (const entry2 of leaving.reverse()) {
      this.#take(entry2);
      entry2.reject(signal.reason);
    }
    this.#onGone();
  };
  #listen(signal, entry2) {
    entry2.earlier = this.#bySignal.get(signal);
    if (entry2.earlier === void 0) signal.addEventListener("abort", this.#onAbort, { once: true });
    else entry2.earlier.later = entry2;
    this.#bySignal.set(signal, entry2);
  }
  #stopListening(signal, { earlier, later }) {
    if (earlier !== void 0) earlier.later = later;
    if (later !== void 0) {
      later.earlier = earlier;
    } else if (earlier !== void 0) {
      this.#bySignal.set(signal, earlier);
    } else {
      this.#bySignal.delete(signal);
      signal.removeEventListener("abort", this.#onAbort);
    }
  }
  #take(entry2) {
    if (entry2.waiter.signal !== void 0) this.#stopListening(entry2.waiter.signal, entry2);
    const last = this.#heap.pop();
    if (last === entry2) return;
    this.#place(last, entry2.index);
    this.#rise(last);
    this.#sink(last);
  }
  #rise(entry2) {
    while (entry2.index > 0) {
      const parent = this.#heap[entry2.index - 1 >> 1];
      if (!isBefore(entry2.waiter, parent.waiter)) return;
      const { index } = parent;
      this.#place(parent, entry2.index);
      this.#place(entry2, index);
    }
  }
  #sink(entry2) {
    for (; ; ) {
      const left = this.#heap[2 * entry2.index + 1];
      const right = this.#heap[2 * entry2.index + 2];
      const child = right !== void 0 && isBefore(right.waiter, left.waiter) ? right : left;
      if (child === void 0 || !isBefore(child.waiter, entry2.waiter)) return;
      const { index } = child;
      this.#place(child, entry2.index);
      this.#place(entry2, index);
    }
  }
  #place(entry2, index) {
    this.#heap[index] = entry2;
    entry2.index = index;
  }
};
var Entry = class {
  waiter;
  resolve;
  reject;
  index = 0;
  /** Those with the same signal. */
  earlier;
  later;
  constructor(waiter, resolve, reject) {
    this.waiter = waiter;
    this.resolve = resolve;
    this.reject = reject;
  }
};
function isBefore(one, other) {
  if (one.priority !== other.priority) return one.priority > other.priority;
  return one.order < other.order;
}

// src/client/call/login-run.ts
var LoginRun = class {
  #context;
  #options;
  #time;
  #request;
  #lane;
  /** What all attempts have in common. */
  #common;
  #history = noHistory;
  #endWait;
  permit;
  order;
  priority = loginPriority;
  watch;
  constructor(context, options, time2) {
    this.#context = context;
    this.#options = options;
    this.#time = time2;
    this.#request = { method: options.method, path: withoutQuery(options.path) };
    this.#lane = context.gates.for(options);
    const body = toBodySource({ json: options.json, body: options.body });
    this.#common = {
      request: this.#request,
      lane: this.#lane,
      method: options.method,
      target: toTarget(context.settings.basePath, options.path, void 0),
      headers: toHeaderRecord(context.settings.headers, options.headers, body),
      body: body.fixed,
      maxBytes: maxErrorBytes,
      signal: context.closing
      // else it is left to finish: somebody else may want the session
    };
    if (context.events.watchesCalls) this.watch = (answer, startedAt) => this.#publish(answer, startedAt);
  }
  get signal() {
    return this.#options.signal;
  }
  refusal(remainingMs, resumeAt) {
    const limits = this.#context.settings.rateLimit;
    return limitRefusal({ remainingMs, resumeAt, waitedMs: this.#time.pausedMs, limits, request: this.#request });
  }
  acquire() {
    const { clock } = this.#context;
    this.#endWait?.();
    this.#endWait = void 0;
    const { permit = this.#lane.enter(this) } = this;
    this.permit = void 0;
    if (permit instanceof Promise) {
      this.#endWait = this.#time.wait();
      return permit;
    }
    return {
      ...this.#common,
      permit,
      timeoutMs: Math.max(1, this.#leftMs),
      startedAt: clock.monotonic(),
      mayStart: () => this.#lane.isCurrent(permit)
    };
  }
  deliver({ startedAt }, response) {
    this.#time.spentMs += this.#context.clock.monotonic() - startedAt;
    return response;
  }
  async react(setback) {
    const { kind, outcome, attempt } = setback;
    const { settings, clock } = this.#context;
    this.#time.spentMs += clock.monotonic() - attempt.startedAt;
    const { reaction, history } = react(this.#history, {
      kind,
      status: statusOf(outcome),
      isResendable: true,
      isIdempotent: true,
      retriesLeft: this.#leftMs > 0 && !isFinal(outcome) ? settings.retry.retries - this.#history.retries : 0
    });
    this.#history = history;
    if (reaction.type === "again") return;
    const error = this.#failureOf(setback);
    if (reaction.type !== "retry") throw error;
    await this.#backOff(error, reaction.number);
  }
  fail(failure) {
    return failure;
  }
  end() {
    this.#endWait?.();
    if (this.permit !== void 0) this.#lane.leave(this.permit, "unsent");
  }
  get #leftMs() {
    return this.#options.timeoutMs - this.#time.spentMs;
  }
  #failureOf(answer) {
    if (!isBodyLost(answer.kind)) return failureOf(answer, this.#options.secrets);
    return incompleteBody(answer.outcome, this.#request, {
      bound: "the 1 MiB that is read of a login"
    });
  }
  async #backOff(error, attempt) {
    const { clock, events, settings } = this.#context;
    const delayMs = Math.min(retryDelayMs(attempt, settings.retry, Math.random()), Math.max(0, this.#leftMs));
    events.emit("retry", { ...this.#request, attempt, delayMs, error });
    await sleep(clock, delayMs, this.signal);
    this.#time.spentMs += delayMs;
    if (this.#leftMs <= 0) throw error;
  }
  #publish(answer, startedAt) {
    if (answer.kind === "held-back") return;
    const { clock, events } = this.#context;
    const facts = describeAttempt(answer, this.#options.secrets, clock.monotonic() - startedAt);
    events.publish("attempt", { ...this.#request, number: ++this.#time.attempts, ...facts });
  }
};

// src/client/call/login-time.ts
var LoginTime = class {
  #clock;
  #pausedMs = 0;
  #waiting = 0;
  #waitingSince = 0;
  /** Sending, and waiting for retries. */
  spentMs = 0;
  attempts = 0;
  constructor(clock) {
    this.#clock = clock;
  }
  /** How long any of the requests has waited at the gate. */
  get pausedMs() {
    return this.#pausedMs + (this.#waiting === 0 ? 0 : this.#clock.monotonic() - this.#waitingSince);
  }
  /** @returns called when that wait is over. */
  wait() {
    if (this.#waiting++ === 0) this.#waitingSince = this.#clock.monotonic();
    return () => {
      const pausedMs = this.pausedMs;
      if (--this.#waiting === 0) this.#pausedMs = pausedMs;
    };
  }
};

// src/client/call/login.ts
var defaultTimeoutMs = 6e4;
function createLogin(context) {
  const { initialize: initialize2 } = context.settings;
  return async (signal) => {
    const login = new LoginAttempt(context, signal);
    try {
      return await (typeof initialize2 === "function" ? login.byFunction(initialize2) : login.overHttp(initialize2));
    } catch (error) {
      if (context.closing.aborted) throw new AbandonedLogin();
      const request = typeof initialize2 === "function" ? { method: "initialize", path: "" } : initialize2;
      if (!signal.aborted) {
        context.events.emit("error", { method: request.method, path: withoutQuery(request.path), error });
      }
      throw error;
    }
  };
}
var LoginAttempt = class {
  #context;
  #signal;
  #time;
  constructor(context, signal) {
    this.#context = context;
    this.#signal = signal;
    this.#time = new LoginTime(context.clock);
  }
  async overHttp(initialize2) {
    const { method, path: path2, parameters, timeoutMs } = initialize2;
    const secrets = parameters.filter(({ sensitive }) => sensitive).map(({ value }) => value);
    try {
      const response = await this.#request({ method, path: path2, json: parameters }, timeoutMs, secrets);
      return toHeaders2(parseJson(new TextDecoder().decode(response.body)), response.status, withoutQuery(path2));
    } catch (error) {
      throw toInitializeError(error, this.#signal);
    }
  }
  async byFunction(initialize2) {
    const controller = new AbortController();
    const abort = () => controller.abort(this.#signal.reason);
    this.#signal.addEventListener("abort", abort, { once: true });
    const request = async (options) => {
      const { method, path: path2 } = options;
      const secrets = loginSecrets(options);
      const response = await this.#request(options, defaultTimeoutMs, secrets);
      try {
        const reading = { method, responseType: "auto", isChecked: false, parseJson: void 0 };
        return await readSuccess(response, reading, void 0);
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
        throw unreadableAnswer(error, { method, path: withoutQuery(path2) }, response, secrets);
      }
    };
    const timeout = this.#timeout(controller);
    try {
      const headers = await Promise.race([initialize2({ request, signal: controller.signal }), timeout.promise]);
      return toHeaders2(headers, void 0, "the `initialize` function");
    } catch (error) {
      throw toInitializeError(error, this.#signal);
    } finally {
      timeout.cancel();
      this.#signal.removeEventListener("abort", abort);
    }
  }
  /** Ends a login function that hangs; the pauses it waited out do not count (rule S6). */
  #timeout(controller) {
    const { clock } = this.#context;
    const startedAt = clock.monotonic();
    let timer;
    const promise = new Promise((_resolve, reject) => {
      const arm = (delayMs) => {
        timer = clock.setTimer(delayMs, () => {
          const leftMs = defaultTimeoutMs - (clock.monotonic() - startedAt - this.#time.pausedMs);
          if (leftMs > 0) return arm(leftMs);
          const error = new InitializeError(`initialize did not finish within ${defaultTimeoutMs} ms`);
          controller.abort(error);
          reject(error);
        });
      };
      arm(defaultTimeoutMs);
    });
    promise.catch(() => {
    });
    return { promise, cancel: () => timer.cancel() };
  }
  /** Sends until there is a success, through limits and transient failures (rule S5). */
  #request(options, timeoutMs, secrets) {
    return follow(
      this.#context,
      new LoginRun(this.#context, { ...options, timeoutMs, secrets, signal: this.#signal }, this.#time)
    );
  }
};
function loginSecrets({ headers = {}, json, body }) {
  const form = typeof body === "string" ? [...new URLSearchParams(body).values()] : [];
  return [...credentialSecrets(headers), ...stringsIn(json), ...form];
}
function stringsIn(value) {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

// src/client/call/pages.ts
function readPages(request, path2, options, base) {
  if (typeof options?.next !== "function") {
    throw new TypeError("`next` must be a function that says from a page where the following one is.");
  }
  return read(request, path2, options, base);
}
async function* read(request, firstPath, { next, ...options }, base) {
  const seen = /* @__PURE__ */ new Set();
  let path2 = firstPath;
  let query = options.query;
  for (; ; ) {
    const address = toTarget(base.basePath, toPath(path2, base), query);
    if (seen.has(address)) {
      const message = `the page after ${seen.size} ${seen.size === 1 ? "page" : "pages"} is one that was read before`;
      const shown = withoutQuery(toPath(path2, base));
      throw new RequestError(message, { code: "PAGE_LOOP", request: { method: "GET", path: shown } });
    }
    seen.add(address);
    const response = await request({ ...options, query, method: "GET", path: path2 });
    yield response.data;
    const following = await next(response.data, response);
    if (!following) return;
    if (typeof following === "string") [path2, query] = [following, void 0];
    else query = isPlain(following) && isPlain(query ?? {}) ? { ...query, ...following } : following;
  }
}
function isPlain(query) {
  return !(query instanceof URLSearchParams);
}

// src/client/events.ts
import { channel } from "node:diagnostics_channel";
var names = ["pause", "resume", "heartbeat", "quota", "initialize", "retry", "error"];
var callNames = ["call", "attempt", "wait", "result"];
var channels = Object.fromEntries(
  [...names, ...callNames].map((name) => [name, channel(`concordat:client:${name}`)])
);
var EventHub = class {
  #listeners = /* @__PURE__ */ new Map();
  #sender;
  /** @param sender what channels are told beside each event. */
  constructor(sender) {
    this.#sender = sender;
  }
  /** Whether anybody wants to know of single calls. */
  get watchesCalls() {
    const { call, attempt, wait, result } = channels;
    return call.hasSubscribers || attempt.hasSubscribers || wait.hasSubscribers || result.hasSubscribers;
  }
  /** @returns a function that takes the listener away again. */
  on(name, listener) {
    if (!names.includes(name)) {
      throw new TypeError(`\`event\` must be one of ${names.join(", ")}, got ${JSON.stringify(name)}.`);
    }
    if (typeof listener !== "function") throw new TypeError("`listener` must be a function.");
    const listeners = this.#listeners.get(name) ?? /* @__PURE__ */ new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => {
      listeners.delete(listener);
    };
  }
  emit = (name, event) => {
    if (channels[name].hasSubscribers) channels[name].publish({ ...event, ...this.#sender });
    for (const listener of [...this.#listeners.get(name) ?? []]) {
      try {
        listener(event);
      } catch (error) {
        if (name !== "error") this.emit("error", { method: "on", path: name, error });
      }
    }
  };
  /** Tells tracers of a single call. */
  publish = (name, event) => {
    if (channels[name].hasSubscribers) channels[name].publish({ ...event, ...this.#sender });
  };
};

// src/client/http/active-requests.ts
var ActiveRequests = class {
  #all = [];
  add(request) {
    request.place = this.#all.push(request) - 1;
  }
  delete({ place }) {
    const last = this.#all.pop();
    if (last.place === place) return;
    this.#all[place] = last;
    last.place = place;
  }
  abort() {
    for (const request of [...this.#all]) request.abort();
  }
};

// src/client/http/incoming.ts
var Incoming = class {
  #options;
  #sink;
  /** What came before there was a sink: no more than was on its way when the head came. */
  #early = [];
  #end;
  #timer;
  #lastAt = 0;
  #whenOver = [];
  #onAbort = () => this.finish({ type: "aborted", reason: this.#options.signal?.reason });
  constructor(options) {
    this.#options = options;
    options.signal?.addEventListener("abort", this.#onAbort, { once: true });
  }
  /** Calls back when no more comes, however it ended; at once where that is so. */
  whenOver(callback) {
    if (this.#end === void 0) this.#whenOver.push(callback);
    else callback();
  }
  /** The sink gets what has come, and what will come once it asks for it by {@link resume}. */
  pipe(sink) {
    this.#sink = sink;
    for (const chunk of this.#early.splice(0)) sink.push(chunk);
    this.#tell();
  }
  /** More is wanted: from now on a silence counts. */
  resume() {
    if (this.#end !== void 0 || this.#timer !== void 0) return;
    this.#lastAt = this.#options.clock.monotonic();
    this.#watch(this.#options.silenceMs);
    this.#options.tap.resume();
  }
  /** Enough for now. */
  pause() {
    if (this.#end !== void 0) return;
    this.#stopWatching();
    this.#options.tap.pause();
  }
  /** Nobody wants the rest; the sink hears nothing of it. */
  destroy() {
    this.#sink = void 0;
    this.finish({ type: "aborted", reason: void 0 });
  }
  /** Said by the transport. */
  arrived(chunk) {
    if (this.#end !== void 0) return;
    this.#lastAt = this.#options.clock.monotonic();
    if (this.#sink === void 0) this.#early.push(chunk);
    else this.#sink.push(chunk);
  }
  /** Said by the transport; only the first time counts. */
  finish(end) {
    if (this.#end !== void 0) return;
    this.#end = end;
    this.#stopWatching();
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
    if (end !== "whole") this.#options.tap.destroy();
    this.#tell();
    for (const callback of this.#whenOver.splice(0)) callback();
  }
  #tell() {
    if (this.#end === "whole") this.#sink?.end();
    else if (this.#end !== void 0) this.#sink?.break(this.#end);
  }
  /** One timer for many chunks: it looks how long the last one is ago. */
  #watch(delayMs) {
    const { clock, silenceMs } = this.#options;
    this.#timer = clock.setTimer(delayMs, () => {
      const leftMs = silenceMs - (clock.monotonic() - this.#lastAt);
      if (leftMs > 0) this.#watch(leftMs);
      else this.finish({ type: "timeout" });
    });
  }
  #stopWatching() {
    this.#timer?.cancel();
    this.#timer = void 0;
  }
};

// src/client/http/fetch.ts
function createFetchTransport(options) {
  const active = new ActiveRequests();
  return {
    send: (request) => send(request, options, active),
    close: async () => {
    },
    abort: () => active.abort()
  };
}
async function send(request, options, active) {
  if (!request.mayStart()) return { type: "held-back" };
  const controller = new AbortController();
  let stopped;
  const stop = (why) => {
    stopped ??= why;
    controller.abort();
  };
  const onAbort = () => stop("aborted");
  const self = { abort: onAbort, place: 0 };
  active.add(self);
  const timer = options.clock.setTimer(request.timeoutMs, () => stop("timeout"));
  request.signal?.addEventListener("abort", onAbort, { once: true });
  if (request.signal?.aborted) onAbort();
  const rejected = rejectOnAbort(controller.signal);
  const blob = request.body instanceof Blob ? request.body : void 0;
  const sent = toSentBody(blob === void 0 ? request.body : void 0);
  try {
    if (stopped) return { type: "aborted" };
    const response = await Promise.race([
      options.fetch(options.origin + request.target, init(request, blob ?? sent.body, controller.signal)),
      rejected.promise
    ]);
    if (isStreamed(request, response.status)) return streamed(response, request, controller, options.clock);
    const limit = bodyLimit(response.status, request.maxBytes ?? options.maxResponseBytes);
    const { body, end, error } = await collect(response, limit, rejected.promise);
    if (stopped === "aborted") return { type: "aborted" };
    if (stopped === "timeout" && response.status < 400) return { type: "timeout" };
    const { status } = response;
    const headers = Object.fromEntries(response.headers);
    const answered = { type: "answered", status, headers, body, end, error };
    return response.url === "" && isPacked(answered) ? await unpack(answered, limit) : answered;
  } catch (error) {
    if (stopped === "timeout") return { type: "timeout" };
    if (stopped === "aborted") return { type: "aborted" };
    return { type: "failed", error: bodyFailure(sent, error) ?? error };
  } finally {
    active.delete(self);
    rejected.forget();
    timer.cancel();
    request.signal?.removeEventListener("abort", onAbort);
  }
}
function init(request, body, signal) {
  const { method, headers } = request;
  const common = { method, headers: { ...headers }, signal, redirect: "manual" };
  if (body === void 0) return common;
  if (typeof body === "string" || body instanceof Uint8Array || body instanceof Blob) {
    return { ...common, body };
  }
  return { ...common, body: toStream(body), ...{ duplex: "half" } };
}
function toStream(body) {
  return ReadableStream.from(body);
}
function streamed(response, { timeoutMs: silenceMs, signal }, controller, clock) {
  const reader = response.body?.getReader();
  let isWanted = false;
  let isReading = false;
  const read2 = async () => {
    if (isReading) return;
    isReading = true;
    try {
      while (isWanted) {
        const { done, value } = await reader?.read() ?? { done: true, value: void 0 };
        if (done) return incoming.finish("whole");
        incoming.arrived(value);
      }
    } catch (error) {
      incoming.finish({ type: "failed", error });
    } finally {
      isReading = false;
    }
  };
  const incoming = new Incoming({
    clock,
    silenceMs,
    signal,
    tap: {
      pause: () => {
        isWanted = false;
      },
      resume: () => {
        isWanted = true;
        void read2();
      },
      destroy: () => {
        isWanted = false;
        controller.abort();
        reader?.cancel().catch(() => {
        });
      }
    }
  });
  const headers = Object.fromEntries(response.headers);
  if (response.url !== "" && headers["content-encoding"] !== void 0) {
    delete headers["content-encoding"];
    delete headers["content-length"];
  }
  const { status } = response;
  return { type: "answered", status, headers, body: new Uint8Array(), incoming, end: "whole" };
}
function rejectOnAbort(signal) {
  let onAbort = () => {
  };
  const promise = new Promise((_resolve, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
  });
  promise.catch(() => {
  });
  return { promise, forget: () => signal.removeEventListener("abort", onAbort) };
}
async function collect(response, limit, stopped) {
  const chunks = [];
  const reader = response.body?.getReader();
  if (reader === void 0) return { body: new Uint8Array(), end: "whole" };
  let end = "whole";
  let cause;
  let size = 0;
  try {
    for (; ; ) {
      const { done, value } = await Promise.race([reader.read(), stopped]);
      if (done) break;
      size += value.length;
      if (size > limit) {
        end = "too-large";
        break;
      }
      chunks.push(value);
    }
  } catch (error) {
    end = "cut";
    cause = error;
  }
  if (end !== "whole") void reader.cancel().catch(() => {
  });
  return { body: Buffer.concat(chunks), end, error: cause };
}

// src/client/http/undici.ts
import { Pool } from "undici";
function checkDispatcher(dispatcher) {
  if ("interceptors" in dispatcher) {
    throw new TypeError(
      "`dispatcher` is of undici 6 or older, as the one in Node 20 and 22 is; install undici 7 and make it by that."
    );
  }
  return dispatcher;
}
function createUndiciTransport(options) {
  const own = options.dispatcher === void 0 ? new Pool(options.origin, { connections: options.connections }) : void 0;
  const dispatcher = options.dispatcher === void 0 ? own : checkDispatcher(options.dispatcher);
  const active = new ActiveRequests();
  return {
    send: (request) => new Promise((resolve) => {
      const sent = toSentBody(request.body);
      const collector = new Collector(request, options, sent, active, resolve);
      try {
        dispatcher.dispatch(
          {
            origin: options.origin,
            path: request.target,
            method: request.method,
            headers: toHeaders3(request.headers, sent.length, own !== void 0),
            // undici's types know fewer kinds of body than undici does.
            body: sent.body ?? null,
            // `timeoutMs` bounds the whole try, on the injected clock; undici's own timers would only duplicate it.
            headersTimeout: 0,
            bodyTimeout: 0
          },
          collector
        );
      } catch (error) {
        collector.fail(error);
      }
    }),
    // A dispatcher that the caller brought is the caller's to close.
    close: async () => own?.close(),
    abort: () => active.abort()
  };
}
function toHeaders3(headers, length, isOwn) {
  if (length !== void 0) return { ...headers, "content-length": String(length) };
  return isOwn ? headers : { ...headers };
}
var noHeaders = Object.freeze({});
var Collector = class {
  #request;
  #settle;
  #sent;
  /** Those that are under way, of the same transport. */
  #active;
  place = 0;
  #timer;
  #clock;
  #maxResponseBytes;
  abort = () => this.#stop({ type: "aborted" });
  #controller;
  #settled = false;
  #started = false;
  #status = 0;
  #headers = noHeaders;
  #chunks = [];
  #size = 0;
  #incoming;
  constructor(request, options, sent, active, settle) {
    this.#request = request;
    this.#sent = sent;
    this.#active = active;
    active.add(this);
    this.#settle = settle;
    this.#clock = options.clock;
    this.#maxResponseBytes = request.maxBytes ?? options.maxResponseBytes;
    if (options.dispatcher === void 0) this.#startTimer();
    request.signal?.addEventListener("abort", this.abort, { once: true });
    if (request.signal?.aborted) this.abort();
  }
  /** undici is about to write the request to a socket: the last moment to hold it back (rule G1). */
  onRequestStart(controller) {
    this.#controller = controller;
    if (this.#settled) controller.abort(new Error("The request is no longer wanted."));
    else if (!this.#started && !this.#request.mayStart()) this.#stop({ type: "held-back" });
    else this.#start();
  }
  #start() {
    this.#started = true;
    if (this.#timer === void 0) this.#startTimer();
  }
  #startTimer() {
    this.#timer = this.#clock.setTimer(this.#request.timeoutMs, () => this.#stop({ type: "timeout" }));
  }
  onResponseStart(controller, status, headers) {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    if (isStreamed(this.#request, status)) this.#stream(controller);
    if (status >= 300 && status < 400 && status !== 304) this.#answer("whole", true);
  }
  onResponseData(_controller, chunk) {
    this.#incoming?.arrived(chunk);
    if (this.#settled) return;
    this.#size += chunk.length;
    if (this.#size > bodyLimit(this.#status, this.#maxResponseBytes)) this.#answer("too-large", true);
    else this.#chunks.push(chunk);
  }
  onResponseEnd() {
    this.#incoming?.finish("whole");
    this.#answer("whole", false);
  }
  onResponseError(_controller, error) {
    this.fail(error);
  }
  fail(error) {
    this.#incoming?.finish({ type: "failed", error });
    if (this.#status === 0) this.#finish({ type: "failed", error: bodyFailure(this.#sent, error) ?? error });
    else this.#answer("cut", false, error);
  }
  /** From here on the body goes its own way. */
  #stream(controller) {
    controller.pause();
    this.#incoming = new Incoming({
      clock: this.#clock,
      silenceMs: this.#request.timeoutMs,
      signal: this.#request.signal,
      tap: {
        pause: () => controller.pause(),
        resume: () => controller.resume(),
        destroy: () => this.#destroy()
      }
    });
    const head = { type: "answered", status: this.#status, headers: this.#headers };
    this.#finish({ ...head, body: new Uint8Array(), incoming: this.#incoming, end: "whole" });
  }
  #answer(end, destroy, error) {
    const body = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
    const answered = { type: "answered", status: this.#status, headers: this.#headers, body, end, error };
    if (isPacked(answered)) this.#unpack(answered);
    else this.#finish(answered);
    if (destroy) this.#destroy();
  }
  /** The answer is there: neither time-out nor abort can change it any more. */
  #unpack(answered) {
    if (this.#settled) return;
    this.#end();
    void unpack(answered, bodyLimit(this.#status, this.#maxResponseBytes)).then(this.#settle);
  }
  #stop(outcome) {
    if (outcome.type === "timeout" && this.#status >= 400) this.#answer("cut", false);
    else this.#finish(outcome);
    this.#destroy();
  }
  #destroy() {
    this.#chunks = [];
    this.#controller?.abort(new Error("The rest of the answer is not needed."));
  }
  #finish(outcome) {
    if (this.#settled) return;
    this.#end();
    this.#settle(outcome);
  }
  #end() {
    this.#settled = true;
    this.#active.delete(this);
    this.#timer?.cancel();
    this.#request.signal?.removeEventListener("abort", this.abort);
  }
};

// src/client/rate-limit/limit-wait.ts
var longestFallbackMs = 15 * 6e4;
var LimitWaits = class {
  #options;
  #limitsInARow = 0;
  #fallbacksInARow = 0;
  constructor(options) {
    this.#options = options;
  }
  /** A request got through. */
  reset() {
    this.#limitsInARow = 0;
    this.#fallbacksInARow = 0;
  }
  /**
   * @param waitMs missing where the answer does not say how long.
   * @param sameLimit whether it is one more refusal by a limit that was counted already.
   */
  choose(waitMs, sameLimit) {
    const { fallbackWaitMs } = this.#options;
    let chosen = waitMs;
    if (chosen === void 0) {
      if (!sameLimit || this.#fallbacksInARow === 0) this.#fallbacksInARow++;
      const repeats2 = this.#fallbacksInARow - 1;
      chosen = Math.min(fallbackWaitMs * 2 ** Math.min(repeats2, 30), Math.max(fallbackWaitMs, longestFallbackMs));
    }
    const repeats = sameLimit ? 0 : this.#limitsInARow++;
    const floorMs = repeats === 0 ? 0 : Math.min(10 * 2 ** (repeats - 1), 1e3);
    return { waitMs: chosen, totalMs: Math.max(this.#jittered(chosen), floorMs) };
  }
  /** A wait of which it is known how long it is. */
  known(waitMs) {
    return { waitMs, totalMs: this.#jittered(waitMs) };
  }
  /** A hundredth at most: it spreads clients that would otherwise wake up in the same millisecond, and costs no throughput. */
  #jittered(waitMs) {
    return waitMs + Math.random() * Math.min(this.#options.jitterMs, waitMs / 100);
  }
};

// src/client/rate-limit/pause.ts
var heartbeatMs = 1e4;
var dateErrorMs = 1e-3;
var Pause = class {
  #options;
  /** On the monotonic clock; `undefined` while nothing is paused. */
  #until;
  /** How long the connector asked to wait: without what was added at random. */
  #askedUntil = 0;
  /** The two as they were told: everybody is to hear the same time. */
  #resumeAt;
  #askedUntilDate;
  #since = 0;
  #spentMs = 0;
  #timer;
  #isAwaited = false;
  constructor(options) {
    this.#options = options;
  }
  get on() {
    return this.#until !== void 0;
  }
  get resumeAt() {
    if (this.#until === void 0) return void 0;
    this.#resumeAt = steady(this.#resumeAt, this.#toDate(this.#until));
    return this.#resumeAt;
  }
  /** The end as the connector gave it. */
  get askedUntil() {
    if (this.#until === void 0) return void 0;
    this.#askedUntilDate = steady(this.#askedUntilDate, this.#toDate(this.#askedUntil));
    return this.#askedUntilDate;
  }
  /** What is left of the wait that was asked for. */
  get askedMs() {
    return Math.max(0, this.#askedUntil - this.#options.clock.monotonic());
  }
  get remainingMs() {
    return Math.max(0, (this.#until ?? 0) - this.#options.clock.monotonic());
  }
  /** What is told of it while it is on. */
  get heartbeat() {
    return { resumeAt: this.resumeAt, remainingMs: this.remainingMs, pausedMs: this.elapsedMs };
  }
  /** How long it has been on. */
  get elapsedMs() {
    return this.on ? this.#options.clock.monotonic() - this.#since : 0;
  }
  /** Milliseconds paused, in sum. */
  get totalMs() {
    return this.#spentMs + this.elapsedMs;
  }
  /** @param date when it ends, where another client or process told it. */
  extend({ waitMs, totalMs }, date) {
    const now = this.#options.clock.monotonic();
    const until = now + totalMs;
    const before = this.#until;
    const asksLonger = before === void 0 || now + waitMs > this.#askedUntil;
    if (before === void 0 || until > before) {
      this.#until = until;
      this.#resumeAt = totalMs === waitMs ? date : void 0;
    }
    if (asksLonger) {
      this.#askedUntil = now + waitMs;
      this.#askedUntilDate = date;
    }
    if (before === void 0) {
      this.#since = now;
      this.#arm();
    }
    return { began: before === void 0, grewByMs: before === void 0 ? 0 : until - before, asksLonger };
  }
  /** Ends it where its time has come although its timer has not: whoever comes at `resumeAt` finds the gate open. */
  endIfOver() {
    if (this.#until === void 0 || this.remainingMs > dateErrorMs) return;
    this.stop();
    this.#end(this.#until);
  }
  /** A pause keeps the process alive only while somebody waits for its end (rule G4). */
  hold(isAwaited) {
    this.#isAwaited = isAwaited;
    this.#timer?.hold(isAwaited);
  }
  /** Nobody is left who could go; what is asked of it is answered still. */
  stop() {
    this.#timer?.cancel();
    this.#timer = void 0;
  }
  /** Somebody is there again. */
  start() {
    if (this.on && this.#timer === void 0) this.#arm();
  }
  #arm() {
    const delayMs = Math.min(this.remainingMs, heartbeatMs);
    this.#timer = this.#options.clock.setTimer(delayMs, () => {
      if (this.remainingMs > 0) {
        if (delayMs === heartbeatMs) this.#options.onBeat();
        this.#arm();
      } else {
        this.#end();
      }
    });
    this.#timer.hold(this.#isAwaited);
  }
  #end(at = this.#options.clock.monotonic()) {
    const pausedMs = at - this.#since;
    this.#spentMs += pausedMs;
    this.#until = void 0;
    this.#timer = void 0;
    this.#options.onEnd(pausedMs);
  }
  /** Rounded up: who comes back at that time must not find the gate closed. */
  #toDate(monotonic) {
    const { clock } = this.#options;
    return new Date(Math.min(Math.ceil(clock.now() + monotonic - clock.monotonic()), 864e13));
  }
};
function steady(told, date) {
  return told !== void 0 && Math.abs(told.getTime() - date.getTime()) <= 2 ? told : date;
}

// src/client/rate-limit/quota/quota-watch.ts
var longestHoldMs = 6e4;
var QuotaWatch = class {
  #options;
  #told;
  #timer;
  /** Since when somebody waits although nothing is in flight. */
  #heldSince;
  constructor(options) {
    this.#options = options;
  }
  get known() {
    return rounded(this.#options.quota?.known);
  }
  /** Tells of a quota that is not the one that was told. */
  tell() {
    const known = this.#options.quota?.known;
    const told = this.#told;
    if (known === told || known !== void 0 && told !== void 0 && isSame(known, told)) return;
    this.#told = known;
    this.#options.onChange(rounded(known));
  }
  /** Somebody waits, and may be held back by nothing else: whatever is known may be wrong, so this ends (rule G9). */
  awaitRoom(inFlight) {
    const { clock, quota, onRoom } = this.#options;
    if (quota === void 0 || quota.mayStart(inFlight)) return;
    const now = clock.monotonic();
    if (inFlight === 0) this.#heldSince ??= now;
    if (this.#timer !== void 0) return;
    const overdueInMs = (this.#heldSince ?? now) + longestHoldMs - now;
    this.#timer = clock.setTimer(Math.max(1, Math.min(quota.roomInMs(), overdueInMs)), () => {
      this.#timer = void 0;
      onRoom(this.#heldSince !== void 0 && clock.monotonic() - this.#heldSince >= longestHoldMs);
    });
  }
  /** Somebody goes. */
  started() {
    this.#heldSince = void 0;
  }
  /** The timer keeps the process alive only while somebody waits (rule G4). */
  hold(isAwaited) {
    this.#timer?.hold(isAwaited);
  }
  stop() {
    this.#timer?.cancel();
    this.#timer = void 0;
    this.#heldSince = void 0;
  }
};
function rounded(quota) {
  return quota && { limit: quota.limit, windowMs: Math.round(quota.windowMs) };
}
function isSame(one, other) {
  return one.limit === other.limit && Math.abs(one.windowMs - other.windowMs) <= other.windowMs / 10;
}

// src/client/rate-limit/visitors.ts
var Visitors = class {
  #all = /* @__PURE__ */ new Set();
  #arrivals = 0;
  get areThere() {
    return this.#all.size > 0;
  }
  /** Whether any of their calls waits. */
  get isAnyWaiting() {
    for (const visitor of this.#all) if (visitor.waiting > 0) return true;
    return false;
  }
  /** The most requests in flight, in sum. */
  get concurrency() {
    let sum = 0;
    for (const { concurrency } of this.#all) sum += concurrency;
    return sum;
  }
  /** Of those that have room for one more the one whose next call goes first. */
  get next() {
    let next;
    for (const visitor of this.#all) {
      if (visitor.hasNext && (next === void 0 || visitor.goesBefore(next))) next = visitor;
    }
    return next;
  }
  /** A place in the line: the same one, however often its owner has to come back. */
  nextPlace() {
    return this.#arrivals++;
  }
  add(visitor) {
    this.#all.add(visitor);
  }
  remove(visitor) {
    this.#all.delete(visitor);
  }
  refuse() {
    for (const visitor of this.#all) visitor.refuse();
  }
  tell(name, event) {
    for (const { emit } of [...this.#all]) emit(name, event);
  }
};

// src/client/rate-limit/gate.ts
var Gate = class {
  clock;
  #options;
  visitors = new Visitors();
  #waits;
  #pause;
  #quota;
  #watch;
  /** Events name their scope only where there are several. */
  #named;
  #inFlight = 0;
  #epoch = 0;
  #epochInFlight = 0;
  /** How many of this epoch may be in flight: the steps of the release. */
  #allowed;
  constructor(options) {
    this.#options = options;
    this.#waits = new LimitWaits(options.waits);
    this.#allowed = options.startsAlone ? 1 : Number.POSITIVE_INFINITY;
    const { clock, quota, scope } = options;
    this.clock = clock;
    this.#named = scope === "" ? {} : { scope };
    const onChange = (known) => this.visitors.tell("quota", { quota: known, ...this.#named });
    this.#quota = quota;
    this.#watch = new QuotaWatch({ clock, quota, onChange, onRoom: (isOverdue) => this.#tryAgain(isOverdue) });
    this.#pause = new Pause({ clock, onBeat: () => this.#beat(), onEnd: (ms) => this.#open(ms) });
  }
  get pause() {
    return this.#pause;
  }
  /** What is known of the limit. */
  get quota() {
    return this.#watch.known;
  }
  /** Tells others of a pause. A state that cannot take it is told of, and harms no call. */
  publish(resumeAt) {
    const tell = (error) => this.visitors.tell("error", { method: "state", path: "", error });
    this.#options.publish(resumeAt).catch(tell);
  }
  join(visitor) {
    this.#pause.endIfOver();
    this.visitors.add(visitor);
    this.#pause.start();
    if (this.#pause.on) visitor.emit("pause", this.#describePause(this.#pause.askedMs, "header"));
  }
  /** That client is gone; what it has in flight comes back still. */
  part(visitor) {
    this.visitors.remove(visitor);
    this.pump();
    this.holdTimers();
    if (this.visitors.areThere) return;
    this.#pause.stop();
    this.#watch.stop();
  }
  /** Whether a request that was admitted with this permit may still be started: no limit was met since (rule G1). */
  isCurrent(permit) {
    return permit.epoch === this.#epoch;
  }
  /** @returns nothing where it has to wait. */
  admit(visitor, isLogin) {
    this.#pause.endIfOver();
    this.#quota?.advance();
    return this.#mayPass(visitor, isLogin) ? this.#let(visitor, isLogin) : void 0;
  }
  /** Gives a permit back. */
  leave(visitor, permit, passage) {
    const isLate = this.#takeBack(visitor, permit);
    if (passage === "passed" && !isLate) {
      this.#waits.reset();
      this.#allowMore();
    }
    this.#quota?.ended({ passage, isLogin: permit.isLogin, isLate });
    this.#tellQuota();
    this.pump();
  }
  /** Gives a permit back whose request met a limit; `waitMs` is missing where the response does not say how long. */
  limited(visitor, permit, waitMs) {
    const sameLimit = this.#takeBack(visitor, permit);
    const source = waitMs === void 0 ? "fallback" : "header";
    const startedAt = permit.isLogin ? void 0 : permit.startedAt;
    this.#close(this.#waits.choose(waitMs, sameLimit), { source, startedAt });
  }
  /**
   * A response says what the quota is. The permit is still to be given back: the quota hears before the next one goes.
   *
   * @param isBinding whether the gate closes when nothing is left, because the options say that this can be believed.
   */
  announce(permit, announcement, isBinding) {
    if (permit.epoch !== this.#epoch || this.#pause.on) return;
    this.#quota?.announce(announcement, this.#epochInFlight, isBinding);
    const waitMs = this.#quota?.emptyForMs ?? 0;
    if (isBinding && waitMs > 0) this.#close(this.#waits.known(waitMs), { source: "header" });
  }
  /** Closes the gate for a pause that was met elsewhere, or before. What was told here comes back, and changes nothing. */
  pauseUntil(resumeAt) {
    const known = this.#pause.askedUntil;
    if (known !== void 0 && resumeAt <= known) return;
    const waitMs = resumeAt.getTime() - this.clock.now();
    if (waitMs > 0) this.#close(this.#waits.known(waitMs), { source: "header", elsewhere: resumeAt });
  }
  /** Begins with what was learned before; what this gate has learned itself counts more. */
  learn(quota) {
    this.#quota?.seed(quota);
    this.#tellQuota();
  }
  /** Lets in whoever may go, and sees to it that whoever still waits will be woken. */
  pump() {
    if (!this.visitors.isAnyWaiting) return;
    for (let visitor = this.visitors.next; visitor !== void 0; visitor = this.visitors.next) {
      const permit = this.admit(visitor, visitor.isLoginNext);
      if (permit === void 0) break;
      visitor.serve(permit);
    }
    if (this.visitors.isAnyWaiting && !this.#pause.on) this.#watch.awaitRoom(this.#inFlight);
    this.holdTimers();
  }
  /** A wait keeps the process alive only while somebody waits (rule G4). */
  holdTimers() {
    const isAwaited = this.visitors.isAnyWaiting;
    this.#pause.hold(isAwaited);
    this.#watch.hold(isAwaited);
  }
  #mayPass(visitor, isLogin) {
    if (this.#pause.on || this.#epochInFlight >= this.#allowed) return false;
    if (isLogin) return true;
    return visitor.hasRoom && (this.#quota?.mayStart(this.#inFlight) ?? true);
  }
  #let(visitor, isLogin) {
    this.#quota?.started(isLogin, this.#inFlight);
    this.#watch.started();
    this.#inFlight++;
    this.#epochInFlight++;
    visitor.inFlight++;
    return { epoch: this.#epoch, isLogin, startedAt: this.clock.monotonic() };
  }
  /** @returns whether a limit was met since it was given. */
  #takeBack(visitor, permit) {
    this.#inFlight--;
    visitor.inFlight--;
    if (permit.epoch !== this.#epoch) return true;
    this.#epochInFlight--;
    return false;
  }
  /** One came back without a limit: two more, or all the rest where it is known how many the connector takes (rule G3). */
  #allowMore() {
    if (this.#allowed === Number.POSITIVE_INFINITY) return;
    const areAllFree = this.#quota?.isKnown || this.#allowed >= this.visitors.concurrency;
    this.#allowed = areAllFree ? Number.POSITIVE_INFINITY : this.#allowed + 1;
  }
  /** There may be room in the quota; once that is overdue, one goes to see. */
  #tryAgain(isOverdue) {
    const next = isOverdue && this.#inFlight === 0 ? this.visitors.next : void 0;
    next?.serve(this.#let(next, next.isLoginNext));
    this.pump();
  }
  #close(wait, { source, startedAt, elsewhere }) {
    const { began, grewByMs, asksLonger } = this.#pause.extend(wait, elsewhere);
    if (!this.visitors.areThere) this.#pause.stop();
    const concerns = elsewhere === void 0 || this.#inFlight > 0 || this.visitors.isAnyWaiting;
    if (concerns) this.#quota?.limited(wait.waitMs, startedAt);
    if (asksLonger) this.visitors.refuse();
    if (began) {
      this.#epoch++;
      this.#epochInFlight = 0;
      this.#allowed = 1;
      this.#watch.stop();
      this.visitors.tell("pause", this.#describePause(wait.waitMs, source));
    } else if (grewByMs > 1e3) {
      this.#beat();
    }
    this.holdTimers();
    if (elsewhere === void 0 && asksLonger) this.publish(this.#pause.askedUntil);
  }
  #open(pausedMs) {
    this.#quota?.opened();
    this.visitors.tell("resume", { pausedMs, ...this.#named });
    this.#tellQuota();
    this.pump();
  }
  #describePause(waitMs, source) {
    return { reason: "rate-limit", waitMs, resumeAt: this.#pause.resumeAt, source, ...this.#named };
  }
  #beat() {
    this.visitors.tell("heartbeat", { reason: "rate-limit", ...this.#pause.heartbeat, ...this.#named });
  }
  /** A quota is certain when the pause is over. */
  #tellQuota() {
    if (!this.#pause.on) this.#watch.tell();
  }
};

// src/client/rate-limit/lane.ts
var Lane = class {
  gate;
  emit;
  concurrency;
  #mayRefuse;
  #queue;
  #pausedBefore;
  #closedBy;
  inFlight = 0;
  constructor(gate, options) {
    this.gate = gate;
    this.emit = options.emit;
    this.concurrency = options.concurrency;
    this.#mayRefuse = options.mayRefuse;
    this.#queue = new WaitQueue(() => gate.holdTimers());
    gate.join(this);
    this.#pausedBefore = gate.pause.totalMs;
  }
  get waiting() {
    return this.#queue.size;
  }
  /** Milliseconds paused since this client came. */
  get pausedMs() {
    return this.gate.pause.totalMs - this.#pausedBefore;
  }
  get hasRoom() {
    return this.inFlight < this.concurrency;
  }
  get hasNext() {
    return this.#queue.size > 0 && (this.hasRoom || this.isLoginNext);
  }
  get isLoginNext() {
    return this.#queue.first?.priority === loginPriority;
  }
  goesBefore(other) {
    return isBefore(this.#queue.first, other.#queue.first);
  }
  /**
   * @returns the permit; or, where the waiter has to wait, a promise: when it resolves, `waiter.permit` is there.
   * @throws (or rejects with) the signal's reason, the waiter's refusal, or the error given to {@link close}.
   */
  enter(waiter) {
    if (this.#closedBy) throw this.#closedBy();
    if (waiter.signal?.aborted) throw waiter.signal.reason;
    waiter.order ??= this.gate.visitors.nextPlace();
    const isLogin = waiter.priority === loginPriority;
    if (isLogin || !this.gate.visitors.isAnyWaiting) {
      const permit = this.gate.admit(this, isLogin);
      if (permit !== void 0) return permit;
    }
    const { pause } = this.gate;
    const refusal = pause.on ? waiter.refusal?.(pause.askedMs, pause.resumeAt) : void 0;
    if (refusal) throw refusal;
    const waiting = this.#queue.wait(waiter);
    this.gate.pump();
    return waiting;
  }
  /** Whether a request with this permit may still be started: no limit was met since (rule G1). */
  isCurrent(permit) {
    return this.#closedBy === void 0 && this.gate.isCurrent(permit);
  }
  /** A body that is still arriving keeps a place of `concurrency` until it is over. */
  carry(incoming) {
    this.inFlight++;
    incoming.whenOver(() => {
      this.inFlight--;
      this.gate.pump();
    });
  }
  leave(permit, passage) {
    this.gate.leave(this, permit, passage);
  }
  limited(permit, waitMs) {
    this.gate.limited(this, permit, waitMs);
  }
  announce(permit, announcement, isBinding) {
    this.gate.announce(permit, announcement, isBinding);
  }
  serve(permit) {
    this.#queue.next(permit);
  }
  refuse() {
    const { askedMs, resumeAt } = this.gate.pause;
    if (!this.#mayRefuse(askedMs)) return;
    this.#queue.rejectWhere((waiter) => waiter.refusal?.(askedMs, resumeAt));
  }
  /** Rejects everybody who waits, and everybody who comes later. */
  close(error) {
    this.#closedBy = error;
    this.#queue.rejectWhere(error);
    this.gate.part(this);
  }
};

// src/client/rate-limit/quota/recent-times.ts
var mostTimes = 1e5;
var RecentTimes = class {
  #most;
  #times = [];
  /** Index of the first that still counts. */
  #head = 0;
  constructor(most) {
    this.#most = most;
  }
  add(time2) {
    this.#times.push(time2);
    if (this.#times.length - this.#head > this.#most) this.#head++;
    if (this.#head > 1024 && this.#head > this.#times.length / 2) {
      this.#times = this.#times.slice(this.#head);
      this.#head = 0;
    }
  }
  /** How many lie after the given time. */
  countSince(time2) {
    return this.#times.length - this.#firstAfter(time2);
  }
  /** The first after the given time. */
  oldestSince(time2) {
    return this.#times[this.#firstAfter(time2)];
  }
  forgetBefore(time2) {
    this.#head = this.#firstAfter(time2);
    this.#times = this.#times.slice(this.#head);
    this.#head = 0;
  }
  #firstAfter(time2) {
    let low = this.#head;
    let high = this.#times.length;
    while (low < high) {
      const middle = low + high >> 1;
      if (this.#times[middle] <= time2) low = middle + 1;
      else high = middle;
    }
    return low;
  }
};

// src/client/rate-limit/quota/announced.ts
function updateRemaining(known, said, inFlight, now) {
  const told = { left: said.left, resetsAt: now + said.resetMs };
  if (known === void 0 || now >= known.resetsAt || said.left > known.left + inFlight + 1) return told;
  return said.left < known.left ? told : known;
}
var AnnouncedQuota = class {
  #clock;
  #beneath;
  #policies = [];
  #tightest;
  #remaining;
  /** When responses came, while policies are known. */
  #times = new RecentTimes(mostTimes);
  /** The announcement that was wrong. */
  #refuted;
  /** Whether a request is under way although the announced quota is used up: to find out whether that is so. */
  #isProbing = false;
  #provenWrongAt = Number.NEGATIVE_INFINITY;
  #announcedAt = 0;
  #isBinding = false;
  /** When the last response came that was not counted, because nothing was announced by then. */
  #uncountedAt = Number.NEGATIVE_INFINITY;
  /** @param beneath what holds where nothing is announced. @default everybody may go */
  constructor(clock, beneath) {
    this.#clock = clock;
    this.#beneath = beneath;
  }
  /**
   * Takes a response's word. Said before {@link ended} of the same request.
   *
   * @param isBinding whether it is believed whatever happens: others may have used up what it says is left.
   */
  announce({ policies, remaining: remaining2 }, inFlight, isBinding) {
    this.#isBinding ||= isBinding;
    const kept = policies.filter(({ limit }) => limit <= mostTimes);
    const key = toKey(kept);
    const isKnownToBeWrong = this.#refuted !== void 0 && (key === "" || key === this.#refuted);
    if (isKnownToBeWrong && !isBinding) return;
    if (!this.#isAnnounced || key !== "" && key !== toKey(this.#policies))
      this.#announcedAt = this.#clock.monotonic();
    if (key !== "") this.#keep(kept);
    if (remaining2 === void 0) return;
    this.#remaining = updateRemaining(this.#remaining, remaining2, inFlight, this.#clock.monotonic());
  }
  /** How long it will be until anything is left again. */
  get emptyForMs() {
    return this.#remaining?.left === 0 ? Math.max(0, this.#remaining.resetsAt - this.#clock.monotonic()) : 0;
  }
  get known() {
    return this.#tightest ?? this.#beneath?.known;
  }
  get isKnown() {
    return this.#isAnnounced || (this.#beneath?.isKnown ?? false);
  }
  advance() {
    this.#beneath?.advance();
  }
  mayStart(inFlight) {
    if (!this.#isAnnounced) return this.#beneath?.mayStart(inFlight) ?? true;
    const now = this.#clock.monotonic();
    return this.#fitsRemaining(now, inFlight) && this.#policies.every((policy) => this.#fits(policy, now, inFlight));
  }
  roomInMs() {
    const now = this.#clock.monotonic();
    const times = this.#policies.map(({ windowMs }) => (this.#times.oldestSince(now - windowMs) ?? now) + windowMs);
    if (this.#remaining !== void 0) times.push(this.#remaining.resetsAt);
    const next = times.filter((time2) => time2 > now);
    return this.#isAnnounced ? Math.min(...next) - now : this.#beneath?.roomInMs() ?? Number.POSITIVE_INFINITY;
  }
  started(isLogin, inFlight) {
    this.#beneath?.started(isLogin, inFlight);
    if (!isLogin && inFlight === 0 && this.#isAnnounced && !this.mayStart(0)) this.#isProbing = true;
  }
  ended(request) {
    this.#beneath?.ended(request);
    if (request.passage === "unsent") return;
    const now = this.#clock.monotonic();
    if (!this.#isAnnounced) {
      this.#uncountedAt = now;
      return;
    }
    if (this.#isProbing && !request.isLogin) {
      this.#isProbing = false;
      if (request.passage === "passed") this.#hadRoom(now);
    }
    if (this.#remaining !== void 0 && now >= this.#remaining.resetsAt) this.#remaining = void 0;
    if (this.#policies.length > 0) this.#times.add(now);
  }
  limited(waitMs, startedAt) {
    this.#beneath?.limited(waitMs, startedAt);
    const windowMs = Math.max(0, ...this.#policies.map((policy) => policy.windowMs));
    const isBelieved = this.#isAnnounced && !this.#isProbing && startedAt !== void 0;
    if (isBelieved && startedAt >= this.#announcedAt && startedAt >= this.#uncountedAt + windowMs) this.#refute();
    this.#isProbing = false;
  }
  opened() {
    this.#beneath?.opened();
    this.#remaining = void 0;
  }
  seed(quota) {
    this.#beneath?.seed(quota);
  }
  get #isAnnounced() {
    return this.#policies.length > 0 || this.#remaining !== void 0;
  }
  #fits({ limit, windowMs }, now, inFlight) {
    return this.#times.countSince(now - windowMs) + inFlight < limit;
  }
  #fitsRemaining(now, inFlight) {
    if (this.#remaining === void 0) return true;
    if (now < this.#remaining.resetsAt) return inFlight < this.#remaining.left;
    return this.#policies.length > 0 || inFlight === 0;
  }
  /** What was said to be used up was not: a window may have begun anew, but hardly twice in the time of one. */
  #hadRoom(now) {
    const windowMs = this.#tightest?.windowMs ?? Number.POSITIVE_INFINITY;
    if (now - this.#provenWrongAt < windowMs) this.#refute();
    this.#provenWrongAt = now;
    this.#remaining = void 0;
    this.#times = new RecentTimes(mostTimes);
  }
  #keep(policies) {
    this.#policies = policies;
    this.#tightest = tightest(policies);
  }
  #refute() {
    if (this.#isBinding) return;
    this.#refuted = toKey(this.#policies);
    this.#uncountedAt = this.#clock.monotonic();
    this.#times = new RecentTimes(mostTimes);
    this.#keep([]);
    this.#remaining = void 0;
  }
};
function toKey(policies) {
  return policies.map(({ limit, windowMs }) => `${limit}/${windowMs}`).join();
}
function tightest(quotas) {
  return [...quotas].sort((one, other) => one.limit / one.windowMs - other.limit / other.windowMs)[0];
}

// src/client/rate-limit/quota/lesson.ts
function learnFromLimit(known, facts) {
  const { startedAt, passed, metAt, resumesAt } = facts;
  const windowMs = resumesAt - startedAt;
  if (passed === 0 || windowMs < 1 || windowMs > longestWindowMs) return known;
  if (known === void 0) {
    const unclear = metAt - startedAt > 4 * (resumesAt - metAt) || facts.isFirst && passed < 2;
    return unclear ? void 0 : { limit: passed, windowMs, slides: false, doubts: 0 };
  }
  const sliding = facts.passedSince(resumesAt - known.windowMs);
  const fits = Math.abs(sliding - known.limit) <= Math.max(1, known.limit / 4);
  if (known.slides && fits) return { ...known, limit: Math.max(1, sliding), doubts: 0 };
  if (windowMs >= 0.9 * known.windowMs) {
    if (windowMs > 1.1 * known.windowMs) return { limit: passed, windowMs, slides: false, doubts: 0 };
    const isWhole = passed >= known.limit;
    return {
      ...known,
      limit: passed,
      windowMs: isWhole ? Math.min(windowMs, known.windowMs) : known.windowMs,
      doubts: 0
    };
  }
  if (fits && sliding > passed) return { ...known, limit: sliding, slides: true, doubts: 0 };
  if (known.doubts < mostDoubts) return { ...known, doubts: known.doubts + 1 };
  return { limit: passed, windowMs, slides: false, doubts: 0 };
}
function allowanceBeyond(beyond, quota, latencyMs) {
  return 1 + Math.floor(2 * Math.max(0, beyond) * Math.max(1 / quota.limit, latencyMs / quota.windowMs));
}
var mostDoubts = 1;
var longestWindowMs = 864e13;

// src/client/rate-limit/quota/learned.ts
var leastMemoryMs = 36e5;
var windowsRemembered = 10;
var LearnedQuota = class {
  #lesson;
  /** When the first request of the window went out. */
  #startedAt;
  #passed = 0;
  #inFlight = 0;
  /** The limit that is on. */
  #limit;
  /** `undefined` until there is something to learn from, and when that was long ago. */
  #lastLimitAt;
  /** When something last went out beyond the boundary. */
  #probedAt = Number.NEGATIVE_INFINITY;
  #probeSince;
  #latencyMs = 0;
  /** How much further the boundary is looked for than it was found: nothing, unless windows end without it. */
  #growth = 0;
  #times = new RecentTimes(mostTimes);
  #clock;
  constructor(clock) {
    this.#clock = clock;
  }
  get known() {
    if (this.#forgets()) return void 0;
    if (this.#limit === void 0 || this.#startedAt === void 0) return this.#lesson;
    return learnFromLimit(this.#lesson, {
      ...this.#limit,
      startedAt: this.#startedAt,
      passed: this.#passed,
      passedSince: (time2) => this.#times.countSince(time2)
    });
  }
  get isKnown() {
    return this.known !== void 0;
  }
  advance() {
    if (this.#lastLimitAt === void 0) return;
    if (this.#forgets()) {
      this.#lesson = void 0;
      this.#lastLimitAt = void 0;
      this.#startedAt = void 0;
      this.#passed = 0;
      this.#times = new RecentTimes(mostTimes);
    }
    const lesson = this.#lesson;
    const now = this.#clock.monotonic();
    if (lesson === void 0 || this.#startedAt === void 0 || now - this.#startedAt < lesson.windowMs) return;
    const grownBy = this.#passed - lesson.limit;
    if (grownBy > 0 && !lesson.slides) {
      this.#lesson = { ...lesson, limit: this.#passed + this.#growth };
      this.#growth = Math.max(grownBy, 2 * this.#growth);
    }
    this.#startedAt = this.#inFlight === 0 ? void 0 : now;
    this.#passed = 0;
    this.#times.forgetBefore(now - lesson.windowMs);
  }
  mayStart() {
    const lesson = this.#lesson;
    if (lesson === void 0) return true;
    const now = this.#clock.monotonic();
    const passed = this.#countPassed(lesson, now);
    const beyond = passed + this.#inFlight - lesson.limit;
    if (beyond < 0) return true;
    if (lesson.slides && now - this.#probedAt < lesson.windowMs) return false;
    return Math.min(this.#inFlight, beyond) < allowanceBeyond(passed - lesson.limit, lesson, this.#latencyMs);
  }
  roomInMs() {
    const lesson = this.#lesson;
    if (lesson === void 0) return Number.POSITIVE_INFINITY;
    const now = this.#clock.monotonic();
    const oldest = lesson.slides ? this.#times.oldestSince(now - lesson.windowMs) : this.#startedAt;
    return (oldest ?? now) + lesson.windowMs - now;
  }
  started(isLogin) {
    if (isLogin) return;
    this.#startedAt ??= this.#clock.monotonic();
    if (this.#lesson !== void 0) this.#noteProbe(this.#lesson);
    this.#inFlight++;
  }
  ended({ passage, isLogin, isLate }) {
    if (isLogin) return;
    if (isLate) {
      if (passage === "passed" && this.#limit !== void 0) this.#pass();
      return;
    }
    this.#inFlight = Math.max(0, this.#inFlight - 1);
    if (this.#probeSince !== void 0) this.#latencyMs = this.#clock.monotonic() - this.#probeSince;
    this.#probeSince = void 0;
    if (passage === "passed") this.#pass();
  }
  limited(waitMs) {
    this.advance();
    const now = this.#clock.monotonic();
    const resumesAt = now + waitMs;
    const isFirst = this.#lastLimitAt === void 0;
    if (isFirst) this.#spreadTimes(now);
    this.#lastLimitAt = now;
    this.#limit ??= { metAt: now, resumesAt, isFirst };
    this.#limit.resumesAt = Math.min(this.#limit.resumesAt, resumesAt);
  }
  opened() {
    const now = this.#clock.monotonic();
    this.#lesson = this.known;
    this.#growth = 0;
    this.#limit = void 0;
    this.#probeSince = void 0;
    this.#startedAt = void 0;
    this.#passed = 0;
    this.#inFlight = 0;
    if (this.#lastLimitAt !== void 0) this.#lastLimitAt = now;
    this.#times.forgetBefore(now - (this.#lesson?.windowMs ?? 0));
  }
  seed({ limit, windowMs }) {
    if (this.#lastLimitAt !== void 0) return;
    this.#lesson = { limit, windowMs, slides: false, doubts: 0 };
    this.#lastLimitAt = this.#clock.monotonic();
    this.#startedAt = void 0;
    this.#passed = 0;
  }
  /** Nobody took the times before the first limit; spread evenly they are near enough to see whether the window slides. */
  #spreadTimes(now) {
    this.#startedAt ??= now;
    const counted = Math.min(this.#passed, mostTimes);
    for (let index = 1; index <= counted; index++) {
      this.#times.add(this.#startedAt + (now - this.#startedAt) * index / counted);
    }
  }
  /** Whether so much time has passed without a limit that what was learned says nothing any more. */
  #forgets() {
    if (this.#lastLimitAt === void 0 || this.#limit !== void 0) return false;
    const { windowMs = 0 } = this.#lesson ?? {};
    return this.#clock.monotonic() - this.#lastLimitAt >= Math.max(leastMemoryMs, windowsRemembered * windowMs);
  }
  #noteProbe(lesson) {
    const now = this.#clock.monotonic();
    if (this.#countPassed(lesson, now) + this.#inFlight < lesson.limit) return;
    this.#probedAt = now;
    this.#probeSince ??= now;
  }
  #pass() {
    this.#passed++;
    if (this.#lastLimitAt === void 0) return;
    const now = this.#clock.monotonic();
    this.#times.add(now);
    const lesson = this.#lesson;
    if (!lesson?.slides || this.#limit !== void 0) return;
    const count2 = this.#times.countSince(now - lesson.windowMs);
    if (count2 <= lesson.limit) return;
    this.#probedAt = Number.NEGATIVE_INFINITY;
    if (count2 > lesson.limit + Math.max(1, lesson.limit / 10)) this.#lesson = { ...lesson, slides: false };
  }
  #countPassed(lesson, now) {
    return lesson.slides ? this.#times.countSince(now - lesson.windowMs) : this.#passed;
  }
};

// src/client/rate-limit/gates.ts
var Gates = class {
  #lanes = /* @__PURE__ */ new Map();
  #options;
  #stopSharing;
  #isClosed = false;
  constructor(options) {
    this.#options = options;
    this.#stopSharing = options.state.onPause(({ scope, resumeAt }) => this.#lane(scope).gate.pauseUntil(resumeAt));
  }
  /** The way that a request has to pass. */
  for(request) {
    const { scope } = this.#options.rateLimit;
    return this.#lane(scope === void 0 ? "" : String(scope({ method: request.method, path: request.path })));
  }
  get paused() {
    return this.#all.some(({ gate }) => gate.pause.on);
  }
  /** The latest end of a pause that is on. */
  get resumeAt() {
    const times = this.#all.flatMap(({ gate }) => gate.pause.resumeAt?.getTime() ?? []);
    return times.length === 0 ? void 0 : new Date(Math.max(...times));
  }
  get pausedMs() {
    return this.#all.reduce((sum, { pausedMs }) => sum + pausedMs, 0);
  }
  /** What is known; of several scopes the one that allows the fewest requests in a given time. */
  get quota() {
    return tightest(this.#all.flatMap(({ gate }) => gate.quota ?? []));
  }
  snapshot() {
    const gates = [...this.#lanes].map(([scope, { gate }]) => ({ scope, gate }));
    return {
      version: 1,
      pauses: gates.flatMap(
        ({ scope, gate: { pause } }) => pause.askedUntil === void 0 ? [] : { scope, resumeAt: pause.askedUntil.toISOString() }
      ),
      quotas: gates.flatMap(({ scope, gate: { quota } }) => quota === void 0 ? [] : { scope, ...quota })
    };
  }
  /** Only ever closes: a pause that is on stays as it is, or becomes longer (rule G2). */
  restore(snapshot) {
    if (this.#isClosed) return;
    for (const { scope, limit, windowMs } of snapshot.quotas) this.#lane(scope).gate.learn({ limit, windowMs });
    for (const pause of snapshot.pauses) {
      const resumeAt = new Date(pause.resumeAt);
      if (resumeAt.getTime() <= this.#options.clock.now()) continue;
      const { gate } = this.#lane(pause.scope);
      gate.pauseUntil(resumeAt);
      gate.publish(resumeAt);
    }
  }
  close() {
    this.#isClosed = true;
    this.#stopSharing();
    const request = { method: "close", path: "" };
    const error = () => new RequestError("the client was closed while this call waited", { code: "CLIENT_CLOSED", request });
    for (const lane of this.#all) lane.close(error);
  }
  get #all() {
    return [...this.#lanes.values()];
  }
  #lane(scope) {
    const known = this.#lanes.get(scope);
    if (known !== void 0) return known;
    const { emit, concurrency, rateLimit: rateLimit2 } = this.#options;
    const mayRefuse = (remainingMs) => mayRefuseLimit(remainingMs, rateLimit2);
    const lane = new Lane(this.#gate(scope), { emit, concurrency, mayRefuse });
    this.#lanes.set(scope, lane);
    return lane;
  }
  /** The gate of all clients with the same state, where they ask the same of it. */
  #gate(scope) {
    const { state, clock, pacing, rateLimit: rateLimit2 } = this.#options;
    const { fallbackWaitMs, jitterMs, remaining: remaining2 } = rateLimit2;
    const create = () => {
      const learned = pacing === "auto" ? new LearnedQuota(clock) : void 0;
      const quota = pacing === "auto" || remaining2 !== void 0 ? new AnnouncedQuota(clock, learned) : void 0;
      const publish = async (resumeAt) => state.pause({ scope, resumeAt });
      const waits = { fallbackWaitMs, jitterMs };
      return new Gate({ clock, scope, waits, quota, startsAlone: remaining2 !== void 0, publish });
    };
    const key = JSON.stringify([scope, pacing, fallbackWaitMs, jitterMs, remaining2]);
    const shared = state.gate?.(key, create) ?? create();
    return shared instanceof Gate && shared.clock === clock ? shared : create();
  }
};

// src/client/session/trials.ts
var Trials = class {
  #outcomes = /* @__PURE__ */ new Map();
  begin(generation) {
    let settle = () => {
    };
    const outcome = new Promise((resolve) => settle = resolve);
    this.#outcomes.set(generation, outcome);
    return (passed) => {
      if (this.#outcomes.get(generation) === outcome) this.#outcomes.delete(generation);
      settle(passed);
    };
  }
  /** What comes of the trial that is under way, if there is one. */
  outcome(generation) {
    return this.#outcomes.get(generation);
  }
};

// src/client/session/session.ts
var freshSessionDelayMs = 1e3;
var SessionHolder = class {
  #options;
  #current;
  #lastGeneration = 0;
  #running;
  #refusal;
  /** The session that was refused last without ever having worked, and how many were before it. */
  #fruitless;
  #closedBy;
  #closing = new AbortController();
  #trials = new Trials();
  constructor(options) {
    this.#options = options;
    expectManyListeners(this.#closing.signal);
  }
  get current() {
    return this.#current;
  }
  get status() {
    if (this.#running !== void 0) return "renewing";
    return this.#current === void 0 ? "none" : "active";
  }
  /**
   * The session to send with; logs in when there is none.
   *
   * @throws InitializeError when the login failed, or was refused less than `loginCooldownMs` ago.
   */
  acquire(signal) {
    if (this.#closedBy) throw this.#closedBy();
    return this.#current ?? this.#join(signal);
  }
  /** Marks the session dead that a request was sent with; a newer one stays (rule S4). */
  expire(session) {
    if (this.#current?.generation === session.generation) this.#current = void 0;
  }
  /** A request got through. */
  accept(session) {
    session.accepted = true;
    this.#fruitless = void 0;
  }
  /** A 401 was a verdict: where nothing ever got through with that session, logins become rarer until something does (rule S5). */
  condemn(session) {
    if (session.accepted || session.generation === this.#fruitless?.generation) return;
    const { clock, loginCooldownMs } = this.#options;
    const inARow = (this.#fruitless?.inARow ?? 0) + 1;
    const cooldownMs = Math.min(1e3 * 2 ** inARow, loginCooldownMs);
    this.#fruitless = { generation: session.generation, inARow, until: clock.monotonic() + cooldownMs };
  }
  /** Whether it is too early for another login in the place of that session. */
  coolsDown(session) {
    const fruitless = this.#fruitless;
    if (fruitless?.generation !== session.generation || this.#current !== session) return false;
    return this.#options.clock.monotonic() < fruitless.until;
  }
  /** Begins the trial of a session that was refused: whoever else was refused it waits for what comes of it. */
  beginTrial({ generation }) {
    return this.#trials.begin(generation);
  }
  /** A moment later the trial goes out; with a newer session, if another client has brought one meanwhile. */
  async delayTrial(session, signal) {
    await this.sleep(freshSessionDelayMs, signal);
    await this.#adoptNewer(session);
  }
  /** Whether somebody tries that session again. */
  isOnTrial({ generation }) {
    return this.#trials.outcome(generation) !== void 0;
  }
  /** What comes of the trial that is under way. @throws (rejects with) the signal's reason, or that of closing. */
  outcome({ generation }, signal) {
    return abortable(this.#trials.outcome(generation), this.#orClosing(signal));
  }
  /** Waits; ends with the signal, or when the client is closed. */
  sleep(delayMs, signal) {
    return sleep(this.#options.clock, delayMs, this.#orClosing(signal));
  }
  /** Rejects everybody who waits for a login, and everybody who comes later. */
  shutDown(error) {
    this.#closedBy = error;
    this.#closing.abort(error());
    this.#running?.abandon.abort(new AbandonedLogin());
  }
  async #join(signal) {
    for (; ; ) {
      if (this.#current !== void 0) return this.#current;
      const refused = this.#recentRefusal();
      if (refused) throw refused;
      this.#running ??= this.#start();
      const running = this.#running;
      running.waiters++;
      try {
        return await abortable(running.promise, this.#orClosing(signal));
      } catch (error) {
        if (!(error instanceof AbandonedLogin) || this.#closedBy) throw error;
      } finally {
        running.waiters--;
        if (running.waiters === 0) running.abandon.abort(new AbandonedLogin());
      }
    }
  }
  #orClosing(signal) {
    const { signal: closing } = this.#closing;
    return signal === void 0 ? closing : AbortSignal.any([signal, closing]);
  }
  #start() {
    const abandon = new AbortController();
    const promise = this.#login(abandon.signal);
    promise.catch(() => {
    });
    const running = { promise, abandon, waiters: 0 };
    promise.then(
      () => this.#settled(running),
      () => this.#settled(running)
    );
    return running;
  }
  #settled(running) {
    if (this.#running === running) this.#running = void 0;
  }
  async #login(signal) {
    const { clock, loginCooldownMs } = this.#options;
    const startedAt = clock.monotonic();
    const expired = this.#lastGeneration;
    try {
      const { shared, adopted } = await this.#renew(expired, signal);
      return this.#take(shared, adopted, startedAt);
    } catch (error) {
      if (error instanceof InitializeError && error.refused) {
        this.#refusal = { error, until: clock.monotonic() + loginCooldownMs };
      }
      throw error;
    }
  }
  #take(shared, adopted, startedAt) {
    const { clock, emit } = this.#options;
    const { generation, headers, ageMs = adopted ? Number.POSITIVE_INFINITY : 0 } = shared;
    const withDefaults = { ...this.#options.headers, ...headers };
    const since = clock.monotonic() - ageMs;
    const session = { generation, headers, withDefaults, since, adopted, accepted: false };
    const reason = this.#lastGeneration === 0 ? "first" : "expired";
    this.#lastGeneration = generation;
    this.#current = session;
    this.#refusal = void 0;
    emit("initialize", { generation, reason, durationMs: clock.monotonic() - startedAt });
    return session;
  }
  /** Another client may have logged in since: what it has is worth more than a session that was refused (rule S4). */
  async #adoptNewer(session) {
    const { state, clock } = this.#options;
    const startedAt = clock.monotonic();
    const newer = await Promise.resolve(state.newer?.(session.generation, clock)).catch(() => void 0);
    if (newer !== void 0 && this.#current === session) this.#take(newer, true, startedAt);
  }
  /** Where the state is shared, the login may be another client's: if that one gives up or closes, it is this one's turn. */
  async #renew(expired, signal) {
    const { state, login, clock } = this.#options;
    for (; ; ) {
      let own = false;
      try {
        const logIn = () => {
          own = true;
          return login(signal);
        };
        return { shared: await state.renew(expired, logIn, clock), adopted: !own };
      } catch (error) {
        if (own || !(error instanceof AbandonedLogin) || signal.aborted) throw toInitializeErrorOfOwn(error);
      }
    }
  }
  #recentRefusal() {
    if (this.#refusal === void 0 || this.#options.clock.monotonic() >= this.#refusal.until) return void 0;
    const { error } = this.#refusal;
    return new InitializeError(`${error.message} (not tried again yet: the last login was refused a moment ago)`, {
      status: error.status,
      code: error.code,
      refused: true,
      cause: error
    });
  }
};

// src/client/create-client.ts
function createConnectorClient(options) {
  return new Client(options);
}
var Client = class {
  #settings;
  #events;
  #transport;
  #gates;
  #sessions;
  #calls;
  #closing = new AbortController();
  #counters = { calls: 0, sent: 0, refused: 0, logins: 0, pauses: 0, retries: 0 };
  #stopHearingState;
  #closed;
  #grace;
  #isHurried = false;
  #hurry = () => {
  };
  #hurried = new Promise((resolve) => this.#hurry = resolve);
  constructor(options) {
    const settings = checkOptions3(options);
    const { clock, origin, maxResponseBytes, dispatcher, fetch, concurrency, initialize: initialize2 } = settings;
    this.#settings = settings;
    this.#events = new EventHub({ baseUrl: origin + settings.basePath, client: this });
    this.#transport = fetch === void 0 ? createUndiciTransport({ origin, connections: concurrency, dispatcher, clock, maxResponseBytes }) : createFetchTransport({ origin, fetch, clock, maxResponseBytes });
    const { emit } = this.#events;
    this.#gates = new Gates({ ...settings, emit });
    const parameters = typeof initialize2 === "function" ? [] : initialize2.parameters;
    const secrets = parameters.filter(({ sensitive }) => sensitive).map(({ value }) => value);
    const shared = {
      settings,
      clock,
      transport: this.#transport,
      counters: this.#counters,
      gates: this.#gates,
      events: this.#events,
      closing: expectManyListeners(this.#closing.signal)
    };
    this.#sessions = new SessionHolder({
      login: createLogin(shared),
      state: settings.state,
      clock,
      emit,
      headers: settings.headers,
      loginCooldownMs: settings.loginCooldownMs
    });
    this.#calls = new Calls({ ...shared, sessions: this.#sessions, secrets });
    this.#stopHearingState = settings.state.onError?.(
      (error) => queueMicrotask(() => emit("error", { method: "state", path: "", error }))
    );
    this.on("pause", () => this.#counters.pauses++);
    this.on("initialize", () => this.#counters.logins++);
    if (settings.snapshot !== void 0) this.#gates.restore(settings.snapshot);
  }
  request(request) {
    return this.#calls.run(request, (response) => response);
  }
  get(path2, options) {
    return this.#data("GET", path2, options);
  }
  post(path2, options) {
    return this.#data("POST", path2, options);
  }
  put(path2, options) {
    return this.#data("PUT", path2, options);
  }
  patch(path2, options) {
    return this.#data("PATCH", path2, options);
  }
  delete(path2, options) {
    return this.#data("DELETE", path2, options);
  }
  async stream(path2, { method = "GET", ...options } = {}) {
    const request = { ...options, method, path: path2, responseType: "stream" };
    return this.#calls.run(request, ({ status, headers, data: body }) => ({
      status,
      headers,
      body
    }));
  }
  on(event, listener) {
    return this.#events.on(event, listener);
  }
  pages(path2, options) {
    return readPages((request) => this.request(request), path2, options, this.#settings);
  }
  get status() {
    const { paused, resumeAt, pausedMs, quota } = this.#gates;
    return { paused, resumeAt, session: this.#sessions.status, quota, counters: { ...this.#counters, pausedMs } };
  }
  snapshot() {
    return this.#gates.snapshot();
  }
  restore(snapshot) {
    this.#gates.restore(checkSnapshot(snapshot));
  }
  close({ graceMs } = {}) {
    if (graceMs !== void 0) this.#endAfter(checkGrace(graceMs));
    this.#closed ??= this.#close().finally(() => this.#grace?.cancel());
    return this.#closed;
  }
  [Symbol.asyncDispose]() {
    return this.close();
  }
  #data(method, path2, options) {
    return this.#calls.run({ ...options, method, path: path2 }, dataOf);
  }
  #endAfter(graceMs) {
    this.#grace?.cancel();
    this.#grace = this.#settings.clock.setTimer(graceMs, () => {
      this.#isHurried = true;
      this.#transport.abort();
      this.#calls.endStreams();
      this.#hurry();
    });
  }
  async #close() {
    const { cleanup, timeoutMs, clock } = this.#settings;
    this.#closing.abort(new AbandonedLogin());
    this.#gates.close();
    this.#stopHearingState?.();
    this.#sessions.shutDown(() => closedError({ method: "initialize", path: "" }));
    await Promise.race([this.#calls.idle(), this.#hurried]);
    const session = this.#sessions.current;
    const { resumeAt } = this.#gates;
    const paused = resumeAt !== void 0 && resumeAt.getTime() > clock.now();
    if (cleanup !== void 0 && session !== void 0 && !paused && !this.#isHurried) {
      await cleanUp({
        transport: this.#transport,
        target: this.#settings.basePath + cleanup.path,
        timeoutMs,
        headers: this.#settings.headers,
        session
      }).catch((error) => this.#events.emit("error", { method: "POST", path: cleanup.path, error }));
    }
    await Promise.race([this.#transport.close(), this.#hurried]);
  }
};
function dataOf(response) {
  return response.data;
}
export {
  InitializeError,
  RequestError,
  createConnectorClient,
  isInitializeError,
  isRequestError,
  memoryState
};
