/**
 * The conformance tests of datastores. A plugin's tests implement {@link
 * petrichor.kv.testkit.StoreConformance} and {@link petrichor.kv.testkit.MetamorphicConformance}:
 * they say how to open an empty store and how to open it again, and inherit every case. {@link
 * petrichor.kv.testkit.Seeds} is for every test that rolls dice.
 */
@NullMarked
package petrichor.kv.testkit;

import org.jspecify.annotations.NullMarked;
