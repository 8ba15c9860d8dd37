package petrichor.apps.router;

import io.netty.handler.codec.http.HttpHeaders;
import petrichor.apps.router.table.VersionName;

/**
 * What the platform's functions see of a request.
 *
 * @param headers the client's; to be read only
 */
public record RequestView(
        VersionName version, String method, Address address, Sender sender, HttpHeaders headers) {
    /**
     * @param authority the Host field
     * @param uri normalised, with the query
     */
    public record Address(String authority, String uri) {}

    /**
     * @param platform whether the platform itself sent the request
     */
    public record Sender(Ids ids, Client client, Visitor visitor, boolean platform) {}

    /**
     * @param request 32 hexadecimal digits, unique
     * @param trace 32 hexadecimal digits; the client's if it sent one
     * @param span 16 hexadecimal digits, unique
     */
    public record Ids(String request, String trace, String span) {}

    /**
     * @param address of the network, without port
     * @param secure whether it used TLS
     */
    public record Client(String address, boolean secure) {}

    public Ids ids() {
        return sender.ids();
    }

    public Client client() {
        return sender.client();
    }

    public String authority() {
        return address.authority();
    }

    RequestView with(Visitor visitor) {
        Sender known = new Sender(sender.ids(), sender.client(), visitor, sender.platform());
        return new RequestView(version, method, address, known, headers);
    }
}
