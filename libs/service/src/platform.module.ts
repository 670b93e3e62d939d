import { type DynamicModule, Global, Module, type ValueProvider } from '@nestjs/common';

/**
 * The shared dependencies of the apps' modules, created by the process: `Store`, `BlobStore`,
 * `Dispatcher`, `PublicUrl` and others.
 */
@Global()
@Module({})
export class PlatformModule {
  static of(...parts: readonly ValueProvider[]): DynamicModule {
    return { module: PlatformModule, providers: [...parts], exports: parts.map(({ provide }) => provide) };
  }
}
