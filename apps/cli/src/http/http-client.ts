import http from 'node:http';
import https from 'node:https';
import tls from 'node:tls';

/** A response with its whole body in memory. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Options of one request. `timeoutMs`: maximum silence of the connection. */
export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
}

/** Thrown if no complete response arrived: the request may or may not have taken effect. */
export class NetworkError extends Error {
  /** Whether a retry cannot help, because the server's identity could not be verified. */
  readonly permanent: boolean;
  /** Whether the connection had been used before, so the server may have closed it as idle. */
  readonly staleConnection: boolean;

  constructor(message: string, options: { cause?: unknown; staleConnection?: boolean; permanent?: boolean } = {}) {
    super(message, { cause: options.cause });
    this.name = 'NetworkError';
    this.staleConnection = options.staleConnection ?? false;
    this.permanent = options.permanent ?? false;
  }
}

/** Timeout of a request without any response. */
const silentTimeoutMs = 60_000;
/**
 * Maximum bytes of a response in memory. JSON responses are paged and raw bytes use {@link
 * HttpClient.stream}, so this guess leaves a large margin.
 */
const maxAnswerBytes = 256 * 1024 * 1024;

/**
 * HTTP to one origin on a limited number of keep-alive connections. Honors HTTPS_PROXY, HTTP_PROXY
 * and NO_PROXY, and trusts the system's certificates in addition to Node's. Uses node:http, because
 * fetch needs several times the CPU time for bodies of megabytes.
 */
export class HttpClient {
  readonly origin: string;
  readonly #agent: http.Agent;
  readonly #send: typeof http.request;
  readonly #url: { protocol: string; hostname: string; port: string };
  readonly #headers: Record<string, string>;

  constructor(options: {
    origin: string;
    token: string | null;
    userAgent: string;
    connections: number;
    /** Sent with every request. */
    headers?: Readonly<Record<string, string>>;
    env: Readonly<Record<string, string | undefined>>;
  }) {
    this.origin = options.origin;
    const { protocol, hostname, port } = new URL(options.origin);
    // node:http expects IPv6 addresses without brackets.
    this.#url = { protocol, hostname: hostname.replace(/^\[(.*)\]$/, '$1'), port };
    const secure = protocol === 'https:';
    if (secure) trustSystemCertificates();
    const agentOptions: http.AgentOptions = {
      keepAlive: true,
      maxSockets: options.connections,
      maxFreeSockets: options.connections,
      proxyEnv: options.env,
    };
    this.#agent = secure ? new https.Agent(agentOptions) : new http.Agent(agentOptions);
    this.#send = secure ? https.request : http.request;
    this.#headers = { ...options.headers, 'user-agent': options.userAgent };
    if (options.token !== null) this.#headers['authorization'] = `Bearer ${options.token}`;
  }

  /**
   * Sends a request and reads the response. Returns for every HTTP status; throws only if the
   * connection is broken or silent ({@link NetworkError}).
   */
  async request(method: string, path: string, options: RequestOptions = {}): Promise<HttpResponse> {
    const response = await this.stream(method, path, options);
    const chunks: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const chunk of response as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > maxAnswerBytes) throw new Error(`a response longer than ${maxAnswerBytes} bytes`);
        chunks.push(chunk);
      }
    } catch (error) {
      throw this.lost(error);
    }
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks),
    };
  }

  /**
   * Like {@link request}, but the caller reads the body, which throws if the connection breaks
   * before its end.
   */
  stream(method: string, path: string, options: RequestOptions = {}): Promise<http.IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers: Record<string, string | number> = { ...this.#headers, ...options.headers };
      if (options.body) headers['content-length'] = options.body.byteLength;
      else if (method === 'POST' || method === 'PATCH') headers['content-length'] = 0;
      const request = this.#send({
        ...this.#url,
        method,
        path,
        headers,
        agent: this.#agent,
        timeout: options.timeoutMs ?? silentTimeoutMs,
        signal: options.signal,
      });
      request.on('timeout', () => request.destroy(new Error('the server did not respond in time')));
      request.on('error', (error) => reject(this.lost(error, request.reusedSocket)));
      request.on('response', (response) => {
        // The response came before the whole body was sent: the rest must not be sent, since its
        // buffer will be reused.
        response.once('end', () => {
          if (!request.writableFinished) request.destroy();
        });
        resolve(response);
      });
      request.end(options.body);
    });
  }

  /** Closes all connections. */
  close(): void {
    this.#agent.destroy();
  }

  /** Converts a broken connection to a {@link NetworkError}; returns an abort unchanged. */
  lost(error: unknown, reusedSocket = false): Error {
    if (error instanceof Error && error.name === 'AbortError') return error;
    const cause = error instanceof Error ? error : new Error(String(error));
    const { code } = cause as NodeJS.ErrnoException;
    // The AggregateError of "happy eyeballs" has no message.
    const detail = cause.message || code || cause.name;
    if (code !== undefined && certificateFault.test(code)) {
      const message = `${this.origin}: this machine does not trust the server's certificate (${code})`;
      return new NetworkError(message, { cause, permanent: true });
    }
    const staleConnection = reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE');
    return new NetworkError(`${this.origin}: ${detail}`, { cause, staleConnection });
  }
}

/** OpenSSL and Node codes for invalid certificates. */
const certificateFault = /^(CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_(GET|VERIFY)|ERR_TLS_CERT)/;

let systemCertificatesTrusted = false;

function trustSystemCertificates(): void {
  if (systemCertificatesTrusted) return;
  systemCertificatesTrusted = true;
  // Not available before Node 22.19. There, users can set NODE_EXTRA_CA_CERTS.
  if (typeof tls.setDefaultCACertificates !== 'function') return;
  tls.setDefaultCACertificates([...new Set([...tls.getCACertificates('default'), ...tls.getCACertificates('system')])]);
}
