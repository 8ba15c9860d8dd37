/**
 * A store in memory that is lost when the process ends: for {@code up --memory} and for tests of
 * the layers above. A table is a {@link petrichor.base.KeyTree}, a persistent (copy-on-write) tree;
 * the whole store is one reference to such trees, so that a view is just a kept reference.
 */
@NullMarked
package petrichor.kv.memory;

import org.jspecify.annotations.NullMarked;
