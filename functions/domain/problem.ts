/** Something about a pool or its cluster that a person should look at: what it is, and what to do about it. */
export interface Problem {
  /** Constant, for filters, for tests and for telling whether it was reported before. */
  readonly code:
    | 'clamped'
    | 'fit-never'
    | 'fit-several'
    | 'fit-tight'
    | 'fit-unbounded'
    | 'foreign-deployment'
    | 'pending-long'
    | 'priority-does-not-yield'
    | 'priority-ignored'
    | 'priority-missing'
    | 'priority-policy'
    | 'replica-failure'
    | 'request-unreadable'
    | 'unreadable-node';
  /** An error keeps the pool from working; a warning makes it work other than was meant. */
  readonly severity: 'warning' | 'error';
  /** One sentence, with the setting or the command that resolves it. */
  readonly message: string;
}
