@NullMarked
package petrichor.coordination.zookeeper;

import org.jspecify.annotations.NullMarked;
