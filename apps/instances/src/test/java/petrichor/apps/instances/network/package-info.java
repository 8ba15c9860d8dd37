@NullMarked
package petrichor.apps.instances.network;

import org.jspecify.annotations.NullMarked;
