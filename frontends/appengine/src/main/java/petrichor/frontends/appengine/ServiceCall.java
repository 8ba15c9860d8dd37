package petrichor.frontends.appengine;

import petrichor.base.Cancellation;

/**
 * A call of an app.
 *
 * @param method such as {@code Get}
 * @param request the encoded request message; owned by the service
 * @param app the calling app
 * @param cancellation ends at the deadline of the call, or when the app disconnects
 */
public record ServiceCall(
        String method, byte[] request, CallingApp app, Cancellation cancellation) {}
