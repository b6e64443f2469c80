/** What the calendar asks of one pool at one instant. */
export interface EventDemand {
  readonly count: number;
  /** The event whose count won. */
  readonly eventId: string;
  readonly eventTitle: string;
  /** End of the winning event, for saying until when. */
  readonly endAt: number;
}

/** A pool by its place: calendar keys are `pool`, or `cluster/pool` for one cluster of a fleet. */
export interface PoolAddress {
  readonly cluster: string;
  readonly pool: string;
}
