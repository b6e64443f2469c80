/**
 * Opens what a config names, loading only the libraries that it needs: a config with an ICS file and a kubeconfig
 * never loads Google's.
 */
import type { CalendarSettings, ClusterSettings } from '../config/settings.ts';
import type { Calendar, Cluster } from '../ports.ts';
import type { CommandContext } from './context.ts';

export interface Openers {
  /** @throws CalendarError */
  readonly openCalendar: (settings: CalendarSettings) => Promise<Calendar>;
  /** @throws ClusterError */
  readonly openCluster: (settings: ClusterSettings, signal: AbortSignal) => Promise<Cluster>;
}

export function createOpeners(context: Pick<CommandContext, 'env' | 'now'>): Openers {
  const gkeAuth = once(async () => (await import('../cluster/open.ts')).createGkeAuth());
  return {
    openCalendar,
    async openCluster({ name, namespace, target, ...settings }, signal) {
      if (target.kind === 'embedded') {
        const { openEmbeddedCluster } = await import('../embedded/open.ts');
        return openEmbeddedCluster({ name, namespace, target, ...settings }, context.now());
      }
      const { openCluster } = await import('../cluster/open.ts');
      const auth = target.kind === 'gke' ? await gkeAuth() : undefined;
      return openCluster(target, { label: name, namespace, auth }, signal);
    },
  };
}

async function openCalendar({ source, timeZone }: CalendarSettings): Promise<Calendar> {
  switch (source.kind) {
    case 'google': {
      const { openGoogleCalendar } = await import('../calendar/open-google.ts');
      return openGoogleCalendar(source.calendarId);
    }
    case 'ics': {
      const { IcsCalendar } = await import('../calendar/ics.ts');
      return new IcsCalendar({ url: source.url, timeZone });
    }
  }
}

/** One token serves all clusters of a pass. */
function once<T>(start: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined;
  return () => (started ??= start());
}
