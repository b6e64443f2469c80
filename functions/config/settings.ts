/** The configuration after defaults and inheritance: what the rest of the program sees. */
import type { Cap } from '../domain/cap.ts';
import type { PlaceholderSettings } from '../domain/placeholder.ts';
import type { PoolSettings } from '../domain/pool.ts';

export type CalendarSource =
  | { readonly kind: 'google'; readonly calendarId: string }
  /** An `http(s)://` or `file://` URL, or a path. */
  | { readonly kind: 'ics'; readonly url: string };

export type ClusterTarget =
  | { readonly kind: 'gke'; readonly project: string; readonly location: string; readonly name: string }
  | { readonly kind: 'kubeconfig'; readonly path: string; readonly context: string | undefined }
  | { readonly kind: 'embedded' };

export interface CalendarSettings {
  readonly source: CalendarSource;
  /** For ICS dates and floating times; undefined: the calendar's own, else UTC. */
  readonly timeZone: string | undefined;
  readonly staleAfterSeconds: number;
}

export interface ClusterSettings {
  /** Key in `clusters`, or `default` when the config names one cluster only. */
  readonly name: string;
  readonly target: ClusterTarget;
  readonly calendar: CalendarSettings | undefined;
  readonly namespace: string;
  readonly nodePoolSelectorKey: string;
  readonly priorityClassName: string;
  readonly warmFirst: boolean;
  readonly userImages: readonly string[];
  readonly imagePullerSelectors: readonly string[];
  readonly userPodSelectors: readonly string[];
  /** In config order. */
  readonly pools: readonly ManagedPool[];
}

export interface ManagedPool {
  readonly settings: PoolSettings;
  /** What its placeholder Deployment is built from. */
  readonly placeholder: PlaceholderSettings;
}

export interface Settings {
  /** How the config is named in messages: its path. */
  readonly source: string;
  readonly clusters: readonly ClusterSettings[];
  /** Bounds over several pools together, in the order in which they apply. */
  readonly caps: readonly Cap[];
  /** Things accepted but worth a line, such as chart-only keys. */
  readonly notices: readonly string[];
}
