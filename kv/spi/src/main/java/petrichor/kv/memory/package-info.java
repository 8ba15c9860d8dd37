/**
 * A store that lives in memory and is gone when the process ends: for {@code up --memory} and for
 * every test of the layers above. A table is a {@link petrichor.base.KeyTree}, a tree that is never
 * changed but copied along the path of each write; the whole store is one reference to such trees,
 * so that a view is nothing but a kept reference.
 */
@NullMarked
package petrichor.kv.memory;

import org.jspecify.annotations.NullMarked;
