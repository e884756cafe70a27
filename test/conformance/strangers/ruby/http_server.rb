# frozen_string_literal: true

# What the connector needs of HTTP: connections, requests, JSON responses.
require 'json'
require 'socket'

# What a handler raises to refuse a request.
class Failure < StandardError
  attr_reader :status, :code, :detail, :headers

  def initialize(status, code, message, detail: nil, headers: {})
    super(message)
    @status, @code, @detail, @headers = status, code, detail, headers
  end
end

Request = Struct.new(:method, :path, :headers, :body, :token)

class HttpServer
  REASONS = { 200 => 'OK', 201 => 'Created', 204 => 'No Content', 400 => 'Bad Request', 401 => 'Unauthorized',
              403 => 'Forbidden', 404 => 'Not Found', 405 => 'Method Not Allowed', 413 => 'Content Too Large',
              500 => 'Internal Server Error', 502 => 'Bad Gateway' }.freeze
  MAX_BODY_BYTES = 1024 * 1024
  JSON_TYPE = { 'Content-Type' => 'application/json; charset=utf-8' }.freeze

  def listen
    server = TCPServer.new('127.0.0.1', 0)
    Thread.new { loop { Thread.new(server.accept) { |socket| serve(socket) } } }
    server.addr[1]
  end

  # One connection: requests until the other side has no more.
  def serve(socket)
    socket.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1)
    Thread.current.report_on_exception = false
    while (request = read_request(socket))
      respond(socket, request)
      break if close_after?(request)
    end
  rescue SystemCallError, IOError
    nil # the other side is gone
  ensure
    socket.close
  end

  def close_after?(request)
    request.headers['connection'].to_s.downcase == 'close'
  end

  def read_request(socket)
    line = socket.gets("\r\n", chomp: true) or return nil
    method, target = line.split
    headers = {}
    until (field = socket.gets("\r\n", chomp: true)).nil? || field.empty?
      name, value = field.split(':', 2)
      headers[header_key(name)] = value.strip
    end
    request = Request.new(method, target.split('?').first, headers)
    request.body = read_body(socket, request)
    request
  end

  def header_key(name)
    name.downcase
  end

  def read_body(socket, request)
    chunked = request.headers.any? { |name, value| name.downcase == 'transfer-encoding' && value == 'chunked' }
    body = chunked ? read_chunks(socket) : socket.read(read_length(request.headers))
    body.bytesize > MAX_BODY_BYTES ? :too_large : body
  end

  def read_chunks(socket)
    body = +''
    until (size = socket.gets("\r\n").to_i(16)).zero?
      body << socket.read(size)
      socket.gets("\r\n")
    end
    socket.gets("\r\n")
    body
  end

  def read_length(headers)
    headers.find { |name, _| name.downcase == 'content-length' }&.last.to_i
  end

  def json(status, value, headers = {})
    [status, JSON_TYPE.merge(headers), JSON.generate(value)]
  end

  def write(socket, request, status, headers, body)
    headers = headers.merge('Content-Length' => length_of(body).to_s) if body
    head = [status_line(status), *headers.map { |name, value| field(name, value) }].join("\r\n")
    body = nil if request.method == 'HEAD'
    socket.write("#{head}\r\n\r\n".b + body.to_s.b)
  end

  def status_line(status)
    "HTTP/1.1 #{status} #{REASONS[status]}"
  end

  def field(name, value)
    "#{name}: #{value}"
  end

  def length_of(body)
    body.bytesize
  end
end
