export { Web } from './web.ts';
export { WebFilesController } from './web-files.controller.ts';
export { type FirstSeries, type FirstWish } from './web-renderer.ts';
