import { formatReport, type Report, runConformance } from 'concordat/conformance';
import { describe, expect, it } from 'vitest';
import { modelConnector } from './helpers/model-connector.js';

/** One case of each status, with an answer that tries to break out of every format. */
async function mixedReport(): Promise<Report> {
  const hostile = '\u001b[2J]]> & <b>"\u0000\ud800';
  const { baseUrl, config } = await modelConnector({
    options: 500,
    cleanupStatus: 500,
    unknownResource: () => ({ status: 400, code: 'X', message: hostile }),
  });
  const { limit: _limit, ...probes } = config.probes;
  const knownFailures = { 'cleanup.answers': 'ticket <7>', 'routes.head': 'ticket 8' };
  return runConformance({ baseUrl, ...config, probes, knownFailures });
}

describe('formatReport', () => {
  it('pretty: says what failed, why it matters, what was seen, and what was not checked', async () => {
    const text = formatReport(await mixedReport(), 'pretty');
    expect(text).toContain('✗ A missing resource gets a 404 (E2, routes.unknown-resource)');
    expect(text).toContain('      GET /issues/999: 400; expected 404');
    expect(text).toContain('        > GET /issues/999\n');
    expect(text).toContain('        > x-session: [masked]\n');
    expect(text).toContain('        < 400\n');
    expect(text).toContain('      Why it matters: On a 404 the service drops the record.');
    expect(text).toContain('! OPTIONS does not cause a server error');
    expect(text).toContain('      known: ticket <7>');
    expect(text).toContain('It passes now: remove it from `knownFailures` ("ticket 8").');
    expect(text).toContain('the feature `rate-limit` is not declared');
    expect(text).toMatch(
      /1 failed, 1 with a warning, 1 known to fail, 1 fixed.*, 3 could not be judged, 12 not checked in/,
    );
    expect(text).toMatch(/The connector breaks the contract\.$/);
  });

  it('pretty: says which cases could not be judged when that is all', async () => {
    const { baseUrl, config } = await modelConnector({ cleanupStatus: 500 });
    const report = await runConformance({ baseUrl, ...config, knownFailures: { 'cleanup.answers': 'ticket 7' } });
    const text = formatReport(report, 'pretty');
    expect(text).toContain('? After cleanup the session is refused with 401');
    expect(text).toMatch(
      /these could not be judged: cleanup.ends-session, cleanup.dead-session, cleanup.other-sessions\.$/,
    );
  });

  it('pretty: an answer cannot steer the terminal, and colors are only there when asked for', async () => {
    const report = await mixedReport();
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is about these characters
    const control = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;
    expect(formatReport(report, 'pretty')).not.toMatch(control);
    const colored = formatReport(report, 'pretty', { colors: true });
    expect(colored).toContain('\u001b[31m✗\u001b[0m');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is about these characters
    expect(colored.replaceAll(/\u001b\[\d+m/g, '')).toBe(formatReport(report, 'pretty'));
  });

  it('json: is the report', async () => {
    const report = await mixedReport();
    expect(JSON.parse(formatReport(report, 'json'))).toEqual(report);
  });

  it('junit: is well-formed, and counts as build servers do', async () => {
    const xml = formatReport(await mixedReport(), 'junit');
    expect(wellFormed(xml)).toBe(true);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML cannot hold them
    expect(xml).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]|[\ud800-\udfff]/u);
    expect(xml).toMatch(/<testsuites name="concordat http:[^"]+" tests="72" failures="2" errors="3" skipped="13"/);
    expect(xml.match(/<failure /g)).toHaveLength(2);
    expect(xml).toContain('<error message="could not be checked: cleanup fails">');
    expect(xml).toContain('<skipped message="known failure: ticket &lt;7&gt;"/>');
    expect(xml).toContain('<failure message="GET /issues/999: 400; expected 404">');
    expect(xml.match(/<system-out>/g)).toHaveLength(1);
  });

  it('junit: the check of well-formedness can fail (control)', () => {
    expect(wellFormed('<a><b></a></b>')).toBe(false);
    expect(wellFormed('<a x="<"/>')).toBe(false);
  });

  it('refuses a reporter that there is not', async () => {
    expect(() => formatReport({} as Report, 'tap' as never)).toThrow('`reporter` must be one of pretty, json, junit');
  });
});

/** Tags nest, attributes are quoted, and no stray `<` or `&` is left: all that this XML is made of. */
function wellFormed(xml: string): boolean {
  const open: string[] = [];
  const rest = xml
    .replace(/^<\?xml [^?]*\?>/, '')
    .replace(
      /<(\/?)([a-z-]+)((?: [a-z]+="[^"<]*")*)(\/?)>/g,
      (_tag, closing: string, name: string, _attributes, empty: string) => {
        if (closing === '') {
          if (empty === '') open.push(name);
        } else if (open.pop() !== name) open.push('mismatch');
        return '';
      },
    );
  return open.length === 0 && !/<|&(?!(?:amp|lt|gt|quot);)/.test(rest);
}
