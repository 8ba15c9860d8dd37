/**
 * The conformance tests of datastores. A plugin's tests implement {@link
 * petrichor.kv.testkit.StoreConformance} and {@link petrichor.kv.testkit.MetamorphicConformance}:
 * they provide an empty store and reopen it, and inherit every case. {@link
 * petrichor.kv.testkit.Seeds} is for every randomized test.
 */
@NullMarked
package petrichor.kv.testkit;

import org.jspecify.annotations.NullMarked;
