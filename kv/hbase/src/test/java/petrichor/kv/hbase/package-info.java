@NullMarked
package petrichor.kv.hbase;

import org.jspecify.annotations.NullMarked;
