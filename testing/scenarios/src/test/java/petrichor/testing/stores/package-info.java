/** Tests with the datastores' plugins as packaged, each in its own folder of jars. */
@NullMarked
package petrichor.testing.stores;

import org.jspecify.annotations.NullMarked;
