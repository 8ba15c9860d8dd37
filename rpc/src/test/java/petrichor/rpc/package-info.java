@NullMarked
package petrichor.rpc;

import org.jspecify.annotations.NullMarked;
