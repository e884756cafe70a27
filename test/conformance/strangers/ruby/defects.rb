# frozen_string_literal: true

# Mistakes of connectors that write HTTP themselves, and of Ruby's own ways.

no_response = 'connection|closed|no response|no answer|socket|reset'

defect('session-name-has-a-case', 'The session is found as `X-Session` only, not as `x-session`.', 'S1',
       '\bcase\b|\b401\b') do
  def header_key(name) = name

  def session_body(token)
    [{ key: 'X-Session', value: token, sensitive: true }]
  end

  def presented_token(request)
    request.headers['X-Session']
  end
end

defect('length-in-characters', 'The content-length of errors counts characters, so umlauts cut the JSON off.', 'E1',
       'JSON|length|cut') do
  def no_record(id)
    Failure.new(404, 'NO_RECORD', "Für „#{id}“ gibt es keinen Datensatz.")
  end

  def length_of(body)
    body.size
  end
end

defect('errors-have-no-length', 'Errors have no content-length, and the connection stays open: they never end.', 'E1',
       'length|time|end|within', timeoutMs: 3000) do
  def write(socket, request, status, headers, body)
    return super if status < 400

    socket.write("#{status_line(status)}\r\n#{headers.map { |name, value| field(name, value) }.join("\r\n")}\r\n\r\n#{body}")
  end
end

defect('errors-stop-in-a-chunk', 'Errors are chunked, and the last chunk never comes: the connection is closed.', 'E1',
       "cut|whole|end|incomplete|terminated|length|#{no_response}") do
  def write(socket, request, status, headers, body)
    return super if status < 400

    head = [status_line(status), *headers.map { |name, value| field(name, value) }, 'Transfer-Encoding: chunked']
    socket.write("#{head.join("\r\n")}\r\n\r\n#{body.bytesize.to_s(16)}\r\n#{body}\r\n")
    socket.close
  end
end

defect('warning-before-json', 'A warning is printed before the JSON of an error.', 'E1', 'JSON') do
  def failure_response(failure, request)
    status, headers, body = super
    [status, headers, "warning: constant ::Fixnum is deprecated\n#{body}"]
  end
end

defect('broken-json-ends-the-thread', 'Broken JSON ends the connection without a response.', 'E2', no_response) do
  def respond(socket, request)
    JSON.parse(request.body) if request.method == 'POST' && request.body != :too_large && !request.body.empty?
    super
  rescue JSON::ParserError
    socket.close
  end
end

defect('expired-session-closes-the-connection', 'A session that has expired gets no response: the connection is closed.',
       'S4', no_response) do
  def respond(socket, request)
    return socket.close if @sessions[presented_token(request)] == :ended

    super
  end
end

defect('denial-has-an-empty-wait', 'A denial carries an empty `Retry-After`: the variable was nil.', 'W2',
       'retry-after|wait header') do
  def admin
    raise Failure.new(403, 'NOT_ALLOWED', 'Only administrators may read this.', headers: { 'Retry-After' => nil })
  end
end

defect('wait-is-empty', 'The `Retry-After` of a limit is empty.', 'W6', 'empty|""|cannot be read|unreadable') do
  def wait_headers(_wait) = { 'Retry-After' => nil }
end

defect('wait-is-time-to-s', '`Retry-After` is Time#to_s: 2026-11-22 09:00:00 UTC.', 'W4',
       'cannot be read|not readable|unreadable|not (a |valid)|invalid|neither') do
  def wait_headers(wait) = { 'Retry-After' => (Time.now.utc + wait + 1).to_s }
end

defect('wait-shrinks-to-a-tenth', 'A limit of 3 seconds is announced as 1: the remainder is divided by ten.', 'W7',
       'still|not over|too short|after the wait') do
  def initialize
    super
    @window = 3
  end

  def wait_headers(wait) = { 'Retry-After' => (wait / 10).ceil.to_s }
end

warning('backtrace-in-message', 'The message of a failure has the backtrace.', 'E4', 'stack|trace|path') do
  def report = nil.fetch(:rows)

  def unforeseen(error)
    Failure.new(500, 'INTERNAL_ERROR', "#{error.message} #{error.backtrace.join(' ')}")
  end
end

defect('errors-name-the-session-in-a-header', 'Errors carry the token in `X-Debug-Session`.', 'E5',
       'session|token|secret') do
  def failure_response(failure, request)
    status, headers, body = super
    token = presented_token(request)
    [status, token ? headers.merge('X-Debug-Session' => token) : headers, body]
  end
end

defect('login-is-remembered', 'Whoever has logged in once gets in with any password.', 'S5',
       '\b200\b|wrong|password|session') do
  def log_in(request)
    sent = read_json(request)
    user = sent.grep(Hash).find { |entry| entry['key'] == 'user' }&.fetch('value', nil) if sent.is_a?(Array)
    return json(200, session_body(open_session)) if user && @known == user

    super.tap { @known = user }
  end
end

defect('every-response-has-a-wait', 'A gateway puts `retry-after: 0` on every response, successes and denials too.',
       'W2', 'retry-after|wait header') do
  def write(socket, request, status, headers, body)
    headers = { 'retry-after' => '0' }.merge(headers) unless headers.key?('Retry-After')
    super(socket, request, status, headers, body)
  end
end
