import { createInterface } from 'node:readline';

import { Agent, request } from 'undici';

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

export interface ListOf<T> {
  readonly items: readonly T[];
}

/** The cluster's administrator, who sets scenes and looks at what came of them: plain requests, no client library. */
export class AdminClient {
  readonly #server: string;
  readonly #token: string;
  readonly #agent: Agent;

  constructor(server: string, trust: { readonly ca: Buffer | string; readonly token: string }) {
    this.#server = server;
    this.#token = trust.token;
    this.#agent = new Agent({ connect: { ca: trust.ca }, connections: 8 });
  }

  async get<T>(path: string): Promise<T> {
    return (await this.send('GET', path)) as T;
  }

  /** Undefined when there is none. */
  async find<T>(path: string): Promise<T | undefined> {
    try {
      return await this.get<T>(path);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  }

  async list<T>(path: string): Promise<readonly T[]> {
    return (await this.get<ListOf<T>>(path)).items;
  }

  async create<T>(path: string, body: unknown): Promise<T> {
    return (await this.send('POST', path, { body, type: 'application/json' })) as T;
  }

  /** JSON merge patch: what is named is set, null removes. */
  async merge<T>(path: string, body: unknown): Promise<T> {
    return (await this.send('PATCH', path, { body, type: 'application/merge-patch+json' })) as T;
  }

  /** Server-side apply, as `kubectl apply --server-side` does it. */
  async apply<T>(path: string, body: unknown): Promise<T> {
    const query = '?fieldManager=kubectl&force=true';
    return (await this.send('PATCH', `${path}${query}`, {
      body,
      type: 'application/apply-patch+yaml',
    })) as T;
  }

  async delete(path: string): Promise<void> {
    await this.send('DELETE', path, {
      body: { propagationPolicy: 'Background', gracePeriodSeconds: 0 },
      type: 'application/json',
    });
  }

  /** Calls back for everything that is there and for every change, until it is stopped. */
  async watch(path: string, onEvent: (event: unknown) => void): Promise<{ stop(): Promise<void> }> {
    const stopping = new AbortController();
    const { body } = await request(`${this.#server}${path}&watch=true`, {
      dispatcher: this.#agent,
      signal: stopping.signal,
      headers: { authorization: `Bearer ${this.#token}` },
    });
    const reading = (async () => {
      for await (const line of createInterface({ input: body })) onEvent(JSON.parse(line));
    })().catch((error: unknown) => {
      if (!stopping.signal.aborted) throw error;
    });
    return {
      stop: async () => {
        stopping.abort();
        await reading;
      },
    };
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  private async send(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    content?: { readonly body: unknown; readonly type: string },
  ): Promise<unknown> {
    const { statusCode, body } = await request(`${this.#server}${path}`, {
      dispatcher: this.#agent,
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(content === undefined ? {} : { 'content-type': content.type }),
      },
      ...(content === undefined ? {} : { body: JSON.stringify(content.body) }),
    });
    const text = await body.text();
    if (statusCode >= 400) throw new ApiError(`${method} ${path}: ${statusCode} ${text}`, statusCode);
    return JSON.parse(text);
  }
}
