@NullMarked
package petrichor.kv.deployment;

import org.jspecify.annotations.NullMarked;
