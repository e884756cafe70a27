# frozen_string_literal: true

# A complete, correct connector on plain sockets. Each stranger changes one thing about it.
require 'securerandom'
require_relative 'http_server'

class Connector < HttpServer
  def initialize
    @accounts = { 'ada' => 'correct horse' }
    @records = { '1' => { id: 1, title: 'The lamp in the hall flickers' } }
    @sessions = {} # by token: :open or :ended
    @limit, @window, @used, @ends_at = 5, 1.5, 0, Time.at(0)
    @lock = Mutex.new
  end

  def respond(socket, request)
    response = begin
      raise too_large if request.body == :too_large

      route(request)
    rescue Failure => e
      failure_response(e, request)
    rescue StandardError => e
      failure_response(unforeseen(e), request)
    end
    write(socket, request, *response)
  end

  # The response to a request, as status, headers and body.
  def route(request)
    return [204, { 'Allow' => 'GET, HEAD, POST, OPTIONS' }, nil] if request.method == 'OPTIONS'

    request.token = authenticate(request) unless request.path == '/initialize'
    handlers = routes(request)
    raise unknown_route if handlers.nil?

    handler = handlers[request.method == 'HEAD' ? 'GET' : request.method]
    return handler.call if handler

    raise Failure.new(405, 'WRONG_METHOD', 'The route has no such method.', headers: { 'Allow' => handlers.keys.join(', ') })
  end

  def routes(request)
    return { 'GET' => -> { read_record($1) } } if request.path =~ %r{\A/records/([^/]+)\z}

    { '/initialize' => { 'POST' => -> { log_in(request) } },
      '/records' => { 'GET' => -> { list }, 'POST' => -> { create_record(request) } },
      '/search' => { 'GET' => -> { search } },
      '/admin' => { 'GET' => -> { admin } },
      '/report' => { 'GET' => -> { report } },
      '/logout' => { 'POST' => -> { log_out(request) } },
      '/cleanup' => { 'POST' => -> { cleanup(request) } } }[request.path]
  end

  # Sessions

  def log_in(request)
    sent = read_json(request)
    sent = sent.grep(Hash).to_h { |entry| [entry['key'], entry['value']] } if sent.is_a?(Array)
    unless sent.is_a?(Hash) && sent['user'].is_a?(String) && sent['password'].is_a?(String)
      raise Failure.new(400, 'BAD_PARAMETERS', '`user` and `password` are needed.')
    end
    raise Failure.new(401, 'BAD_LOGIN', 'Wrong user or password.') if @accounts[sent['user']] != sent['password']

    json(200, session_body(open_session))
  end

  def open_session
    token = SecureRandom.uuid
    @sessions[token] = :open
    $stdout.puts(token) # for whoever looks whether a report shows it
    token
  end

  def session_body(token)
    [{ key: 'x-session', value: token, sensitive: true }]
  end

  def presented_token(request)
    request.headers['x-session']
  end

  def authenticate(request)
    token = presented_token(request)
    raise Failure.new(401, 'NO_SESSION', 'Log in first.') if token.nil?
    raise ended_session if @sessions[token] == :ended
    raise Failure.new(401, 'BAD_SESSION', 'The session is not known.') if @sessions[token].nil?

    token
  end

  def ended_session
    Failure.new(401, 'SESSION_EXPIRED', 'The session has expired.')
  end

  def log_out(request)
    @sessions[request.token] = :ended
    [204, {}, nil]
  end

  def cleanup(request)
    @sessions.delete(request.token)
    [204, {}, nil]
  end

  # Records

  def list
    json(200, @records.values)
  end

  def read_record(id)
    raise no_record(id) unless @records.key?(id)

    json(200, @records[id])
  end

  def no_record(id)
    Failure.new(404, 'NO_RECORD', "There is no record #{id}.")
  end

  def create_record(request)
    sent = read_json(request)
    title = sent.is_a?(Hash) ? sent['title'] : nil
    unless title.is_a?(String) && !title.empty?
      raise Failure.new(400, 'BAD_RECORD', 'The record is not valid.', detail: 'title: must not be empty')
    end

    record = { id: @records.size + 1, title: title }
    json(201, @records[record[:id].to_s] = record)
  end

  def admin
    raise Failure.new(403, 'NOT_ALLOWED', 'Only administrators may read this.')
  end

  def report
    raise Failure.new(502, 'END_SYSTEM_DOWN', 'The end system cannot be reached.')
  end

  # The limit

  def search
    @lock.synchronize do
      now = Time.now
      @used, @ends_at = 0, now + @window if now >= @ends_at
      @used += 1
      raise limited(@ends_at - now) if @used > @limit
    end
    list
  end

  def limited(wait)
    Failure.new(403, 'QUOTA_USED_UP', 'Too many searches.', headers: wait_headers(wait))
  end

  def wait_headers(wait)
    { 'Retry-After' => wait.ceil.to_s }
  end

  # Refused requests

  def read_json(request)
    JSON.parse(request.body)
  rescue JSON::ParserError
    raise Failure.new(400, 'BROKEN_JSON', 'The body is not JSON.')
  end

  def too_large
    Failure.new(413, 'TOO_LARGE', "The body has more than #{MAX_BODY_BYTES} bytes.")
  end

  def unknown_route
    Failure.new(404, 'NO_ROUTE', 'There is no such route.')
  end

  def unforeseen(_error)
    Failure.new(500, 'INTERNAL_ERROR', 'The connector failed.')
  end

  def failure_response(failure, _request)
    errors = { code: failure.code, message: failure.message, detail: failure.detail }.compact
    json(failure.status, { errors: errors }, failure.headers)
  end
end
