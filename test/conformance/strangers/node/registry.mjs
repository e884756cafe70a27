/** The strangers in Node, by name. */
export const strangers = {};

/**
 * One defect. `rule` is the rule that it breaks, `shows` a pattern for what a message has to mention so that the author
 * knows what to change, and `declare` overrides what the kit is told.
 */
export function defect(name, { what, rule, shows, declare }, Stranger) {
  add(name, { verdict: 'broken', what, rule, shows, declare }, Stranger);
}

/** What the rules leave open, or what from outside can only be guessed: worth a warning that `shows` matches. */
export function warning(name, { what, rule, shows, declare }, Stranger) {
  add(name, { verdict: 'warned', what, rule, shows, declare }, Stranger);
}

/** Unusual, and still within the rules. */
export function odd(name, { what, declare }, Stranger) {
  add(name, { verdict: 'right', what, declare }, Stranger);
}

function add(name, facts, Stranger) {
  if (name in strangers) throw new Error(`There are two strangers called ${name}.`);
  strangers[name] = { ...facts, Stranger };
}
