/** The policies that can be run on the same arrivals, and how they are written on the command line. */

export type Policy =
  /** The product as it is configured. */
  | { readonly kind: 'product' }
  /** The product with `warmFirst` on, or off, whatever the config says. */
  | { readonly kind: 'warm-first' | 'plain' }
  | { readonly kind: 'none' | 'ancestor' }
  | { readonly kind: 'constant'; readonly replicas: number };

export const POLICY_NAMES = ['warm-first', 'plain', 'none', 'constant:N', 'ancestor'] as const;

/** Undefined for a name that is none of them. */
export function parsePolicy(text: string): Policy | undefined {
  const constant = /^constant:(\d{1,3})$/.exec(text);
  if (constant !== null) return { kind: 'constant', replicas: Number(constant[1]) };
  switch (text) {
    case 'product':
    case 'warm-first':
    case 'plain':
    case 'none':
    case 'ancestor':
      return { kind: text };
    default:
      return undefined;
  }
}

export function policyName(policy: Policy): string {
  return policy.kind === 'constant' ? `constant:${String(policy.replicas)}` : policy.kind;
}
