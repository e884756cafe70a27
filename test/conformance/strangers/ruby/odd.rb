# frozen_string_literal: true

# Connectors that are unusual, and right.

odd('plain', 'The connector that the others are made of.')

odd('no-reason-phrase', 'The status line has no reason.') do
  def status_line(status) = "HTTP/1.1 #{status} "
end

odd('blanks-around-values', 'No blank after the colon of a header, or several, and some at the end.') do
  def field(name, value) = name.size.even? ? "#{name}:#{value}" : "#{name}: \t #{value}  "
end

odd('closes-without-notice', 'The server closes the connection after each response, and does not say so.') do
  def close_after?(_request) = true
end

odd('ends-with-the-connection', 'Responses have no length: they end with their connection.') do
  def close_after?(_request) = true

  def write(socket, request, status, headers, body)
    return super if body.nil?

    head = [status_line(status), *headers.map { |name, value| field(name, value) }, 'Connection: close']
    socket.write("#{head.join("\r\n")}\r\n\r\n".b + (request.method == 'HEAD' ? '' : body).b)
  end
end

odd('early-hints', 'Every response is preceded by a 103.') do
  def write(socket, *response)
    socket.write("HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n")
    super
  end
end

odd('chunks-of-one-byte', 'Responses are chunked, byte by byte, with extensions and a trailer.') do
  def write(socket, request, status, headers, body)
    return super if body.nil? || request.method == 'HEAD'

    head = [status_line(status), *headers.map { |name, value| field(name, value) }, 'Transfer-Encoding: chunked']
    chunks = body.bytes.map { |byte| "1;n=1\r\n".b + byte.chr.b + "\r\n".b }.join
    socket.write("#{head.join("\r\n")}\r\n\r\n".b + chunks + "0\r\nX-Done: yes\r\n\r\n".b)
  end
end

odd('long-path', 'The record that is read has an id of 3,000 characters.', readable: "/records/#{'a' * 3000}") do
  def initialize
    super
    @records['a' * 3000] = { id: 2, title: 'A record with a long id' }
  end
end

odd('equal-waits', 'A limit has `Retry-After` twice, with one value.') do
  def field(name, value)
    name == 'Retry-After' ? "#{name}: #{value}\r\n#{name}: #{value}" : super
  end
end

odd('unknown-record-is-hidden', 'A record that is not there is a 404 that looks like one that may not be seen.') do
  def no_record(_id)
    Failure.new(404, 'NOT_FOUND', 'There is no such record, or you may not see it.')
  end
end
