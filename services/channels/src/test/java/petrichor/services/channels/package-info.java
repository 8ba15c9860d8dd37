/** Tests of channels. */
@NullMarked
package petrichor.services.channels;

import org.jspecify.annotations.NullMarked;
