import type { INestApplicationContext, Type } from '@nestjs/common';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';

/** A method of a controller. */
export interface ControllerMethod {
  readonly controller: Type;
  /** `Class.method`. */
  readonly name: string;
  /** The function itself, which has the metadata of its decorators. */
  readonly method: object;
}

/** Yields all methods of all controllers, read from the running application. */
export function* controllerMethods(app: INestApplicationContext): Generator<ControllerMethod> {
  const scanner = new MetadataScanner();
  for (const { controllers } of app.get(ModulesContainer).values()) {
    for (const { metatype } of controllers.values()) {
      if (!isClass(metatype)) continue;
      for (const name of scanner.getAllMethodNames(metatype.prototype)) {
        const method: unknown = Reflect.get(metatype.prototype, name);
        if (typeof method === 'function') yield { controller: metatype, name: `${metatype.name}.${name}`, method };
      }
    }
  }
}

function isClass(metatype: unknown): metatype is Type & { readonly prototype: object } {
  return typeof metatype === 'function';
}
