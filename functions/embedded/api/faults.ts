/**
 * Faults, injected per request, for tests. A fault hits the requests whose `METHOD path?query` matches, as often as
 * `times` says (for good when left out), after letting `skip` of them through:
 *
 *     const lift = api.inject({ match: /^GET \/api\/v1\/pods/, times: 1, effect: { kind: 'status', status: 410 } });
 *     …
 *     lift();
 *
 * | effect       | what the client sees                                                            |
 * | ------------ | ------------------------------------------------------------------------------- |
 * | `status`     | that status with a Kubernetes `Status` body, `Retry-After` if given; nothing done |
 * | `delay`      | the right answer, so many milliseconds late                                     |
 * | `silence`    | the request is taken and never answered                                         |
 * | `refuse`     | the connection breaks before any answer; nothing was done                       |
 * | `cut`        | the connection breaks in the middle of the answer                               |
 * | `truncate`   | a well-formed answer whose JSON ends half-way                                   |
 * | `garbage`    | 200 and text that is no JSON                                                    |
 * | `loseAnswer` | the request is carried out, then the connection breaks                          |
 */

export type FaultEffect =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly reason?: string;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
    }
  | { readonly kind: 'delay'; readonly milliseconds: number }
  | { readonly kind: 'silence' | 'refuse' | 'cut' | 'truncate' | 'garbage' | 'loseAnswer' };

export interface Fault {
  readonly match: RegExp;
  readonly skip?: number;
  readonly times?: number;
  readonly effect: FaultEffect;
}

interface Injected {
  readonly fault: Fault;
  toSkip: number;
  left: number;
}

export class FaultPlan {
  #injected: Injected[] = [];

  /** Returns what lifts the fault again. */
  inject(fault: Fault): () => void {
    const injected: Injected = {
      fault,
      toSkip: fault.skip ?? 0,
      left: fault.times ?? Number.POSITIVE_INFINITY,
    };
    this.#injected.push(injected);
    return () => {
      this.#injected = this.#injected.filter((each) => each !== injected);
    };
  }

  clear(): void {
    this.#injected = [];
  }

  /** The effect on this request, of the fault injected first. */
  next(methodAndPath: string): FaultEffect | undefined {
    for (const injected of this.#injected) {
      if (injected.left <= 0 || !injected.fault.match.test(methodAndPath)) continue;
      if (injected.toSkip > 0) {
        injected.toSkip -= 1;
        continue;
      }
      injected.left -= 1;
      return injected.fault.effect;
    }
    return undefined;
  }
}
