/** What the model's API will not do, in the words of a real API server (`kind: Status`). */

export interface Refusal {
  /** HTTP status. */
  readonly code: number;
  /** Kubernetes' own constant, such as `NotFound`. */
  readonly reason: string;
  readonly message: string;
}

export class RefusalError extends Error {
  override readonly name = 'RefusalError';
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

export function refuse(code: number, reason: string, message: string): never {
  throw new RefusalError({ code, reason, message });
}
