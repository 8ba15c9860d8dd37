/** Conformance tests for {@link petrichor.cloud.Cloud}. */
@NullMarked
package petrichor.cloud.testkit;

import org.jspecify.annotations.NullMarked;
