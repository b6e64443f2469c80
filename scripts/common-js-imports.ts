/**
 * Gives `await import('a CommonJS package')` its names. esbuild makes a chunk of such a package that has a default export
 * and nothing else, where Node finds the names of what the package exports. So each gets a module around it that
 * exports by name what Node finds.
 */
import { createRequire } from 'node:module';
import { types } from 'node:util';
import type { Plugin } from 'esbuild';

const NAMESPACE = 'named';
const load = createRequire(import.meta.url);
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

export function nameCommonJsImports(): Plugin {
  const wrappers = new Map<string, string>();
  return {
    name: 'name-common-js-imports',
    setup(build) {
      build.onResolve({ filter: /^[^./]/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
        if (kind !== 'dynamic-import' || pluginData === NAMESPACE) return undefined;
        const resolved = await build.resolve(path, { kind, importer, resolveDir, pluginData: NAMESPACE });
        if (resolved.external || resolved.errors.length > 0) return resolved;
        const loaded = load(resolved.path) as object;
        // Left to esbuild: what a plugin has resolved is no longer known to be of an ES module's package, and a module that
        // is also imported in another way would be bundled as whichever of the two came first.
        if (types.isModuleNamespaceObject(loaded)) return undefined;
        const exported = Object.keys(loaded)
          .filter((name) => IDENTIFIER.test(name))
          .join(', ');
        wrappers.set(path, `export { ${exported} } from ${JSON.stringify(resolved.path)};`);
        // By the package's own name: a path would make the chunk differ from one machine to the next.
        return { path, namespace: NAMESPACE };
      });
      build.onLoad({ filter: /.*/, namespace: NAMESPACE }, ({ path }) => ({
        contents: wrappers.get(path) ?? '',
        loader: 'js',
        resolveDir: '/',
      }));
    },
  };
}
