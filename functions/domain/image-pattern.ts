/**
 * `userImages` are written the way people name images: `quay.io/org/image`, with a tag or a digest or neither, a
 * registry or folder that holds them all, `*` for anything; Docker Hub's prefix may be left out.
 */

/** A test whether a name that the kubelet reports (`registry/image:tag`, `registry/image@sha256:…`) matches. */
export function createImageTest(patterns: readonly string[]): (name: string) => boolean {
  const expressions = patterns.map(expressionOf);
  return (name) => spellings(name).some((one) => expressions.some((expression) => expression.test(one)));
}

function expressionOf(pattern: string): RegExp {
  const plain = withoutTagBesideDigest(pattern.trim().replace(/^[a-z]+:\/\//, ''));
  const isFolder = plain.endsWith('/');
  const body = (isFolder ? plain.slice(0, -1) : plain).split('*').map(escape).join('.*');
  return new RegExp(`^${body}${isFolder ? '/.*' : '(?:[:@/].*)?'}$`);
}

/** The kubelet lists `image@digest` and `image:tag` apart, never both in one name; the digest decides. */
function withoutTagBesideDigest(pattern: string): string {
  return pattern.replace(/:[^:@/]+@/, '@');
}

/** Docker Hub's images, with and without the parts that people leave out. */
function spellings(name: string): readonly string[] {
  const official = /^docker\.io\/library\/(.+)$/.exec(name)?.[1];
  if (official !== undefined) {
    return [
      name,
      `library/${official}`,
      `docker.io/${official}`,
      `index.docker.io/library/${official}`,
      official,
    ];
  }
  const hub = /^docker\.io\/(.+)$/.exec(name)?.[1];
  return hub === undefined ? [name] : [name, `index.docker.io/${hub}`, hub];
}

function escape(text: string): string {
  return text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
}
