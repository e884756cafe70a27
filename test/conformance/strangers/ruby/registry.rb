# frozen_string_literal: true

# The strangers in Ruby, by name.
STRANGERS = {}

# One defect; `shows` is a pattern for what a message has to mention.
def defect(name, what, rule, shows, **declare, &change)
  add_stranger(name, { verdict: 'broken', what: what, rule: rule, shows: shows, declare: declare }, &change)
end

# What the rules leave open, or what from outside can only be guessed: worth a warning that `shows` matches.
def warning(name, what, rule, shows, **declare, &change)
  add_stranger(name, { verdict: 'warned', what: what, rule: rule, shows: shows, declare: declare }, &change)
end

# Unusual, and still within the rules.
def odd(name, what, **declare, &change)
  add_stranger(name, { verdict: 'right', what: what, declare: declare }, &change)
end

def add_stranger(name, facts, &change)
  raise "There are two strangers called #{name}." if STRANGERS.key?(name)

  STRANGERS[name] = [facts, Class.new(Connector, &change)]
end
