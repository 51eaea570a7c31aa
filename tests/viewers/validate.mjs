// Print the report of the Khronos validator: node validate.mjs PACKAGE FILE
import {readFileSync} from "node:fs";
import {createRequire} from "node:module";

const validator = createRequire(import.meta.url)(process.argv[2]);
const report = await validator.validateBytes(new Uint8Array(readFileSync(process.argv[3])));
console.log(JSON.stringify(report));
