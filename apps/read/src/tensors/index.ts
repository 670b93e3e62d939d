export { TensorsController } from './tensors.controller.ts';
