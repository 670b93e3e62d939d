import type { LiveRoute } from './routes.ts';

/** The methods of each URL; filled once the application knows its routes. */
export class RouteTable {
  #routes: readonly { readonly method: string; readonly pattern: RegExp }[] = [];

  fill(routes: readonly LiveRoute[]): void {
    this.#routes = routes.map(({ method, path }) => ({ method, pattern: patternOf(path) }));
  }

  /** Empty for an unknown URL. */
  methodsOf(path: string): string[] {
    const methods = this.#routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
    if (methods.includes('GET')) methods.push('HEAD');
    return [...new Set(methods)].sort();
  }
}

/** One parameter matches one non-empty part of the path. */
function patternOf(path: string): RegExp {
  const parts = path.split('/').map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  return new RegExp(`^${parts.join('/')}$`);
}
