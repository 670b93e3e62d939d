import { type DynamicModule, Global, Module, type ValueProvider } from '@nestjs/common';

/** What the apps' modules work with and the process has made: `Store`, `BlobStore`, `Dispatcher`, `PublicUrl` and the like. */
@Global()
@Module({})
export class PlatformModule {
  static of(...parts: readonly ValueProvider[]): DynamicModule {
    return { module: PlatformModule, providers: [...parts], exports: parts.map(({ provide }) => provide) };
  }
}
