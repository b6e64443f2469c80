/**
 * Lists objects page by page and hands each to a reducer as it arrives; the page after is asked for as soon as its token
 * is known, so that the server prepares it meanwhile. A list is whole or it is an error, and no object comes twice.
 *
 * Without `resourceVersion` a list is read from the store and not from a cache that may lag: what is decided on it is
 * fenced by it, so it must be as new as the pass.
 */
import { ClusterError } from '../errors.ts';
import { MalformedError } from './failure.ts';
import { ListReader } from './list-reader.ts';
import type { ListEnvelope } from './list-scanner.ts';
import { getRequest } from './request.ts';
import type { Query, Resource } from './request.ts';
import type { Answer, Transport } from './transport.ts';

/**
 * On a real API server (6,000 pods, 38 MB) compression moves a twentieth of the bytes and costs neither side CPU: 0.57 s
 * here and 0.32 to 0.42 s there with it, 0.57 to 0.65 s and 0.43 to 0.53 s without, since TLS has less to do.
 */
const COMPRESSED = { 'accept-encoding': 'gzip' };

/** Big enough that 20,000 pods are some forty requests; memory does not grow with it. */
export const PAGE_SIZE = 500;

/** Takes objects in; made anew whenever a list starts over, so it holds nothing of a list that failed. */
export interface Reducer {
  add(item: object): void;
}

export interface ListOptions<R extends Reducer> {
  readonly transport: Transport;
  readonly resource: Resource;
  /** Undefined: of the whole cluster. */
  readonly namespace?: string | undefined;
  readonly query?: Query | undefined;
  readonly pageSize?: number | undefined;
  readonly signal: AbortSignal;
  readonly start: () => R;
  /** Asked after the first page of several, before the second is requested; false ends the list there. */
  readonly goesOn?: ((reducer: R, envelope: ListEnvelope) => Promise<boolean>) | undefined;
}

export interface Listing<R> {
  readonly reducer: R;
  readonly pages: number;
  /** False only when `goesOn` said so. */
  readonly isWhole: boolean;
}

/** @throws ClusterError, kind `gone` when the list expired under its pages twice. */
export async function listInto<R extends Reducer>(options: ListOptions<R>): Promise<Listing<R>> {
  try {
    return await new ListRun(options).run();
  } catch (error) {
    if (!(error instanceof ClusterError) || error.kind !== 'gone') {
      throw error;
    }
  }
  return new ListRun(options).run();
}

/** One page: asked for, and read when its turn has come. */
interface Page {
  readonly token: string | undefined;
  readonly envelope: Promise<ListEnvelope>;
  readonly begin: () => void;
  readonly discard: () => void;
}

class ListRun<R extends Reducer> {
  readonly #options: ListOptions<R>;
  #reducer: R;
  #ahead: Page | undefined;

  constructor(options: ListOptions<R>) {
    this.#options = options;
    this.#reducer = options.start();
  }

  async run(): Promise<Listing<R>> {
    try {
      let page = this.#ask(undefined);
      for (let pages = 1; ; pages += 1) {
        page.begin();
        const envelope = await page.envelope;
        const { continueToken } = envelope;
        if (continueToken === undefined || (pages === 1 && !(await this.#goesOn(envelope)))) {
          return { reducer: this.#reducer, pages, isWhole: continueToken === undefined };
        }
        page = this.#takeAhead(continueToken);
      }
    } finally {
      this.#discardAhead();
    }
  }

  async #goesOn(envelope: ListEnvelope): Promise<boolean> {
    return this.#options.goesOn === undefined || (await this.#options.goesOn(this.#reducer, envelope));
  }

  #takeAhead(token: string): Page {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    if (ahead?.token === token) {
      return ahead;
    }
    // The metadata that came before the items is not what stands in the end.
    ahead?.discard();
    return this.#ask(token);
  }

  #discardAhead(): void {
    this.#ahead?.discard();
    this.#ahead = undefined;
  }

  #askAhead(page: Pick<Page, 'token'>, { continueToken }: ListEnvelope): void {
    const isUndecided = page.token === undefined && this.#options.goesOn !== undefined;
    if (continueToken !== undefined && this.#ahead === undefined && !isUndecided) {
      this.#ahead = this.#ask(continueToken);
    }
  }

  #ask(token: string | undefined): Page {
    const { transport, resource, namespace, query, pageSize = PAGE_SIZE, signal } = this.#options;
    const target = { verb: 'list', resource, namespace, name: undefined } as const;
    const request = getRequest(target, { limit: pageSize, continue: token, ...query });
    const turn = Promise.withResolvers<undefined>();
    const discarding = new AbortController();
    const begin = (): void => {
      turn.resolve(undefined);
    };
    const position = { token, delivered: 0 };
    const envelope = transport.exchange(
      { ...request, headers: { ...request.headers, ...COMPRESSED } },
      AbortSignal.any([signal, discarding.signal]),
      async (answer) => {
        await turn.promise;
        // It may have come whole before it was discarded, and then nothing else stops it.
        discarding.signal.throwIfAborted();
        return this.#read(answer, position);
      },
    );
    // Whoever's turn it is awaits it; a page discarded meanwhile fails unheard.
    envelope.catch(() => undefined);
    const discard = (): void => {
      discarding.abort();
      begin();
    };
    return { token, envelope, begin, discard };
  }

  /**
   * A page that broke off is asked for again. The first one then shows a newer state, so the reducer starts anew; a
   * later one is the same page, since its token names the revision: what was delivered of it is passed over. The page
   * behind it is given up: the second answer may lead elsewhere, and over HTTP/1.1 it would wait behind that page, whose
   * turn comes after its own.
   */
  async #read(
    answer: Answer,
    position: { token: string | undefined; delivered: number },
  ): Promise<ListEnvelope> {
    if (position.token === undefined) {
      this.#reducer = this.#options.start();
      position.delivered = 0;
    }
    let count = 0;
    const reader = new ListReader({
      onItem: (item) => {
        count += 1;
        if (count > position.delivered) {
          position.delivered = count;
          this.#reducer.add(item);
        }
      },
      onEnvelope: (envelope) => {
        this.#askAhead(position, envelope);
      },
    });
    try {
      return checkEnvelope(await readList(answer, reader), position.token);
    } catch (error) {
      this.#discardAhead();
      throw error;
    }
  }
}

async function readList(answer: Answer, reader: ListReader): Promise<ListEnvelope> {
  for await (const chunk of answer.body) {
    parse(() => {
      reader.push(chunk);
    });
  }
  return parse(() => reader.end());
}

/** @throws MalformedError for what is no JSON or no list. */
function parse<T>(step: () => T): T {
  try {
    return step();
  } catch (cause) {
    throw new MalformedError('the answer is not a complete list', { cause });
  }
}

function checkEnvelope(envelope: ListEnvelope, token: string | undefined): ListEnvelope {
  if (!envelope.kind.endsWith('List')) {
    throw new MalformedError(
      `the answer is a ${envelope.kind === '' ? 'nameless object' : envelope.kind}, not a list`,
    );
  }
  if (token !== undefined && envelope.continueToken === token) {
    throw new MalformedError('a page leads to itself');
  }
  return envelope;
}
