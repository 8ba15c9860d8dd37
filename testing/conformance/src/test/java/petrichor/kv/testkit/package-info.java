@NullMarked
package petrichor.kv.testkit;

import org.jspecify.annotations.NullMarked;
