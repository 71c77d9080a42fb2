# A host in Ruby, written from docs/contract.md alone: libextism runs the plugin, Net::HTTP sends the requests. It lists the
# jobs. Processes in any language share their token on the Redis server REDIS_URL, if that is set.
%w[ffi json net/http redis].each { |library| require library }

module Extism # libextism's C ABI
  extend FFI::Library
  ffi_lib ENV.fetch('LIBEXTISM')
  attach_function :extism_plugin_new, %i[string uint64 pointer uint64 bool pointer], :pointer
  attach_function :extism_plugin_call, %i[pointer string string uint64], :int32
  attach_function :extism_plugin_error, [:pointer], :string
  attach_function :extism_plugin_output_length, [:pointer], :uint64
  attach_function :extism_plugin_output_data, [:pointer], :pointer
end

config = ENV.select { |name, _| name.start_with?('ROSTERING_') }.transform_keys { |name| name[10..].downcase }
manifest = { wasm: [{ path: ARGV.fetch(0) }], config: config }.to_json
PLUGIN = Extism.extism_plugin_new(manifest, manifest.bytesize, nil, 0, true, nil)
STORE = (Redis.new(url: ENV['REDIS_URL'], timeout: 1, reconnect_attempts: 0) if ENV['REDIS_URL'])

def call(export, **fields)
  input = fields.to_json
  failed = Extism.extism_plugin_call(PLUGIN, export, input, input.bytesize) != 0
  abort Extism.extism_plugin_error(PLUGIN) if failed
  JSON.parse(Extism.extism_plugin_output_data(PLUGIN).read_bytes(Extism.extism_plugin_output_length(PLUGIN)))
end

def exchange(request, timeout = 60, **headers)
  uri = URI(request['url'])
  parts = [request['method'], uri.request_uri, request['body'], request['headers'].merge(headers)]
  sending = ->(http) { http.send_request(*parts) }
  response = Timeout.timeout(timeout) { Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == 'https', &sending) }
  { status: response.code.to_i, headers: response.to_hash, body: response.body.to_s.force_encoding('UTF-8').scrub }
rescue SystemCallError, SocketError, IOError, Timeout::Error, OpenSSL::SSL::SSLError => e
  { failed: e.message }
end

def carry_out(step)
  case [step['step'], step['op']]
  in ['request', _] then exchange(step['request'], step['timeout'])
  in ['wait', _] then sleep(step['seconds'] * rand(1.0..1.5)) && {}
  in [_, 'get'] then { value: STORE.get(step['key']) }
  in [_, 'add'] then { added: STORE.set(step['key'], step['value'], ex: step['ttl'], nx: true) }
  in [_, 'set'] then STORE.set(step['key'], step['value'], ex: step['ttl']) && {}
  end
rescue Redis::BaseError => e
  { failed: e.message }
end

def token(**refused)
  step = call('begin', accepts: STORE ? ['store'] : [], **refused)
  step = call('resume', flow: step['flow'], **carry_out(step)) until step['step'] == 'done'
  step['token']['access_token']
end

request, tokens = call('request'), [token]
while (response = exchange(request, 'Authorization' => "Bearer #{tokens.last}"))[:status] == 401 && tokens.size < 3
  tokens << token(refused: tokens.last)
end
abort call('explain', tokens: tokens, **response).to_json unless [*200..299, 304].include?(response[:status])
puts response[:body]
