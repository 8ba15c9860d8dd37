/**
 * URL fetch: HTTP requests that apps send through the platform. {@link
 * petrichor.services.fetch.UrlFetcher} sends one request within a deadline, follows redirects and
 * bounds what it reads. {@link petrichor.services.fetch.AddressGuard} decides which addresses may
 * be connected to: public ones, and those that the operator lists. The address that is checked is
 * the address that is connected to, so a name whose address changes between the two (DNS rebinding)
 * reaches nothing else.
 */
@NullMarked
package petrichor.services.fetch;

import org.jspecify.annotations.NullMarked;
