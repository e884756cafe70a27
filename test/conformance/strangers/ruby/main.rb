# frozen_string_literal: true

# `main.rb --list` prints what there is, and `main.rb NAME` starts one and prints its port.
require_relative 'connector'
require_relative 'registry'
require_relative 'defects'
require_relative 'odd'

$stdout.sync = true
if ARGV[0] == '--list'
  puts JSON.generate(STRANGERS.map { |name, (facts, _)| { name: name, **facts } })
else
  puts STRANGERS.fetch(ARGV[0]).last.new.listen
  $stdin.read # ends with whoever started it
end
