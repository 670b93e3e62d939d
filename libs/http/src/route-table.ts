import type { LiveRoute } from './routes.ts';

interface Entry {
  readonly method: string;
  readonly pattern: RegExp;
  readonly parameters: number;
}

/** The methods of each URL; loaded once the application knows its routes. */
export class RouteTable {
  #routes: readonly Entry[] = [];

  load(routes: readonly Pick<LiveRoute, 'method' | 'path'>[]): void {
    this.#routes = routes.map(({ method, path }) => ({ method, pattern: patternOf(path), parameters: path.match(/[:*]/g)?.length ?? 0 }));
  }

  /**
   * Returns an empty list for an unknown URL. A fixed URL has only its own methods:
   * `/invitations/accept` is not an invitation, although the pattern `/invitations/:invitationId`
   * matches it.
   */
  methodsOf(path: string): string[] {
    const matching = this.#routes.filter(({ pattern }) => pattern.test(path));
    const fewest = Math.min(...matching.map(({ parameters }) => parameters));
    const methods = matching.filter(({ parameters }) => parameters === fewest).map(({ method }) => method);
    if (methods.includes('GET')) methods.push('HEAD');
    return [...new Set(methods)].sort();
  }
}

/** `:name` matches one non-empty part of the path, `*name` one or more parts. */
function patternOf(path: string): RegExp {
  const parts = path.split('/').map((part) => {
    if (part.startsWith(':')) return '[^/]+';
    return part.startsWith('*') ? '.+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('/')}$`);
}
