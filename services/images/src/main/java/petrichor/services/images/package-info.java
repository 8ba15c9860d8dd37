/**
 * Images: transforms, composites and histograms of App Engine's images API. {@link
 * petrichor.services.images.Images} runs each request on one of a few threads, decodes it after its
 * header was checked against {@link petrichor.services.images.ImageLimits}, and reserves the memory
 * of the pixels before it allocates them. Java's imaging classes are loaded with the first request.
 */
@NullMarked
package petrichor.services.images;

import org.jspecify.annotations.NullMarked;
