// SPDX-License-Identifier: Apache-2.0
//
// node --import node20.mjs: lets the conformance suite start on a Node.js before 22, which has no fs.globSync. None of the
// scenarios that are run calls it.

import fs from 'node:fs';
import { register } from 'node:module';

if (!fs.globSync)
	register('data:text/javascript,' + encodeURIComponent(`
		const shim = 'data:text/javascript,' + encodeURIComponent(
			'export * from "node:fs"; export { default } from "node:fs"; export const globSync = () => { throw new Error("globSync"); };');
		export const resolve = (name, context, next) =>
			name === 'fs' && context.parentURL?.includes('/conformance/') ? { url: shim, shortCircuit: true } : next(name, context);
	`));
