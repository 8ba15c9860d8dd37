@NullMarked
package petrichor.kv.dynamodb;

import org.jspecify.annotations.NullMarked;
