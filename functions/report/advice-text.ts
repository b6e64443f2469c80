/** Advice on a calendar, as one sentence each. */
import type { Advice, Cause, Misfit } from '../simulation/findings.ts';
import { dayAndTime, duration } from './units.ts';

export function describeAdvice(advice: Advice, timeZone: string): string {
  const when = dayAndTime(advice.at, timeZone);
  switch (advice.kind) {
    case 'nobodyCame':
      return `${when}: nobody logged in during the event "${advice.title}" (${advice.pool})`;
    case 'classWaited': {
      const who = `${String(advice.people)} people of "${advice.title}" (${advice.pool})`;
      return `${when}: ${who} waited up to ${duration(advice.p95)} (95 %): ${describeCause(advice.cause, advice.pool)}`;
    }
  }
}

function describeCause(cause: Cause, pool: string): string {
  switch (cause.kind) {
    case 'noEvent':
      return 'no event asked for placeholders';
    case 'misfit':
      return `${describeMisfit(cause.fit, pool)}; \`size\` works out resources.requests`;
    case 'tooLate':
      return `the event "${cause.event}" began ${String(cause.minutes)} min too late for new nodes to be warm`;
    case 'tooFew':
      return `the event "${cause.event}" asked for ${String(cause.asked)}, and they fill ${String(cause.needed)} nodes`;
    case 'other':
      return `the event "${cause.event}" came in time and asked for enough; see the timeline`;
  }
}

function describeMisfit(fit: Misfit, pool: string): string {
  switch (fit.kind) {
    case 'several':
      return `${String(fit.count)} placeholders of ${pool} fit on one node, so none of them holds a node`;
    case 'unbounded':
      return `placeholders of ${pool} request neither cpu nor memory, so none of them holds a node`;
    case 'never':
      return `placeholders of ${pool} request more ${fit.resource} than a node has, so they wait for ever`;
  }
}
