// SPDX-License-Identifier: Apache-2.0
/*
 * kubernetes_schemas.mjs FOLDER FILE: validates each object of a JSON array against the schemas of the API of Kubernetes, as npm's
 * kubernetes-models (installed in FOLDER) has them compiled. A field that no schema looks at is one that the API does not have.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const [folder, file] = process.argv.slice(2)
const schemas = resolve(folder, 'node_modules/kubernetes-models/_schemas')

/* The value, with each read of a field noted by its path. */
function watched(value, path, reads) {
	if (value === null || typeof value !== 'object')
		return value
	return new Proxy(value, {
		get(object, key) {
			if (typeof key === 'string')
				reads.add(`${path}/${key}`)
			return watched(object[key], `${path}/${String(key)}`, reads)
		},
	})
}

function paths(value, path = '') {
	if (value === null || typeof value !== 'object')
		return []
	return Object.keys(value).flatMap((key) => [`${path}/${key}`, ...paths(value[key], `${path}/${key}`)])
}

/* The schema of an object: IoK8sApiAppsV1DaemonSet for apps/v1, DaemonSet. */
async function schemaOf(object) {
	const [group, version] = object.apiVersion.includes('/') ? object.apiVersion.split('/') : ['core', object.apiVersion]
	const name = ['IoK8sApi', group.split('.')[0], version, object.kind].map((s) => s[0].toUpperCase() + s.slice(1)).join('')
	if (!readdirSync(schemas).includes(`${name}.js`))
		throw new Error(`no schema ${name}`)
	return (await import(pathToFileURL(join(schemas, `${name}.js`)))).validate
}

let wrong = false
for (const object of JSON.parse(readFileSync(file))) {
	const reads = new Set()
	const validate = await schemaOf(object)
	const fine = validate(watched(object, '', reads))
	const unknown = paths(object).filter((path) => !reads.has(path))
	console.log(`${object.kind} ${object.metadata.name}: ${fine && !unknown.length ? 'ok' : 'WRONG'}`)
	for (const error of fine ? [] : validate.errors)
		console.log(`  ${error.instancePath}: ${JSON.stringify(error.params)}`)
	for (const path of unknown)
		console.log(`  ${path}: no such field`)
	wrong ||= !fine || unknown.length > 0
}
process.exit(wrong ? 1 : 0)
