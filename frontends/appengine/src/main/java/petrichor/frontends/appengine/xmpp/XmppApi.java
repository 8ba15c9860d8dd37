package petrichor.frontends.appengine.xmpp;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.appengine.BundledService;
import petrichor.frontends.appengine.ServiceCall;
import petrichor.frontends.appengine.ServiceError;
import petrichor.frontends.appengine.wire.XmppBulkPresenceRequest;
import petrichor.frontends.appengine.wire.XmppBulkPresenceResponse;
import petrichor.frontends.appengine.wire.XmppInviteRequest;
import petrichor.frontends.appengine.wire.XmppMessageRequest;
import petrichor.frontends.appengine.wire.XmppMessageResponse;
import petrichor.frontends.appengine.wire.XmppPresenceRequest;
import petrichor.frontends.appengine.wire.XmppPresenceResponse;
import petrichor.frontends.appengine.wire.XmppSendPresenceRequest;
import petrichor.services.xmpp.ContactPresence;
import petrichor.services.xmpp.OutgoingMessage;
import petrichor.services.xmpp.OutgoingPresence;
import petrichor.services.xmpp.Xmpp;
import petrichor.services.xmpp.XmppProblem;

/**
 * The API {@code xmpp}, over {@link Xmpp}. In production, Google's SDKs also call the methods of
 * the API {@code channel} under this name. Thread-safe.
 */
public final class XmppApi implements BundledService {
    private static final byte[] EMPTY = new byte[0];

    private final Optional<Xmpp> xmpp;
    private final BundledService channels;

    /**
     * @param xmpp empty without an XMPP server
     * @param channels the API of channels
     */
    public XmppApi(Optional<Xmpp> xmpp, BundledService channels) {
        this.xmpp = xmpp;
        this.channels = channels;
    }

    @Override
    public String name() {
        return "xmpp";
    }

    @Override
    public CompletableFuture<byte[]> call(ServiceCall call) {
        try {
            return switch (call.method()) {
                case "CreateChannel", "SendChannelMessage" -> channels.call(call);
                case "SendMessage" ->
                        completed(send(call, call.parsed(XmppMessageRequest.parser())));
                case "SendInvite" ->
                        completed(invite(call, call.parsed(XmppInviteRequest.parser())));
                case "SendPresence" ->
                        completed(presence(call, call.parsed(XmppSendPresenceRequest.parser())));
                case "GetPresence" ->
                        completed(presenceOf(call, call.parsed(XmppPresenceRequest.parser())));
                case "BulkGetPresence" ->
                        completed(presencesOf(call, call.parsed(XmppBulkPresenceRequest.parser())));
                default -> throw call.unknownMethod();
            };
        } catch (XmppProblem problem) {
            throw new ServiceError(code(problem.reason()), problem.detail());
        }
    }

    private static CompletableFuture<byte[]> completed(byte[] response) {
        return CompletableFuture.completedFuture(response);
    }

    private Xmpp xmpp() {
        return xmpp.orElseThrow(
                () ->
                        PetrichorException.of(
                                ErrorCode.FAILED_PRECONDITION,
                                "this deployment has no XMPP server; its operator can name one in"
                                        + " xmpp.url"));
    }

    private byte[] send(ServiceCall call, XmppMessageRequest request) {
        List<OutgoingMessage.Status> statuses =
                xmpp().send(
                                call.app().project(),
                                new OutgoingMessage(
                                        request.getRecipientList(),
                                        request.getRawXml()
                                                ? new OutgoingMessage.Body.Xml(request.getBody())
                                                : new OutgoingMessage.Body.Text(request.getBody()),
                                        request.getType(),
                                        sender(request.hasSender(), request.getSender())));
        return XmppMessageResponse.newBuilder()
                .addAllStatus(statuses.stream().map(XmppApi::status).toList())
                .build()
                .toByteArray();
    }

    private static XmppMessageResponse.Status status(OutgoingMessage.Status status) {
        return switch (status) {
            case SENT -> XmppMessageResponse.Status.NO_ERROR;
            case INVALID_ADDRESS -> XmppMessageResponse.Status.INVALID_JID;
            case FAILED -> XmppMessageResponse.Status.OTHER_ERROR;
        };
    }

    private byte[] invite(ServiceCall call, XmppInviteRequest request) {
        xmpp().invite(
                        call.app().project(),
                        request.getRecipient(),
                        sender(request.hasSender(), request.getSender()));
        return EMPTY;
    }

    private byte[] presence(ServiceCall call, XmppSendPresenceRequest request) {
        xmpp().sendPresence(
                        call.app().project(),
                        new OutgoingPresence(
                                request.getRecipient(),
                                request.getType(),
                                request.getShow(),
                                request.getStatus(),
                                sender(request.hasSender(), request.getSender())));
        return EMPTY;
    }

    private byte[] presenceOf(ServiceCall call, XmppPresenceRequest request) {
        ContactPresence known =
                xmpp().presences(
                                call.app().project(),
                                List.of(request.getUser()),
                                sender(request.hasSender(), request.getSender()))
                        .getFirst();
        if (known instanceof ContactPresence.Invalid) {
            throw new XmppProblem(
                    XmppProblem.Reason.INVALID_JID,
                    "the address is not USER@DOMAIN or USER@DOMAIN/RESOURCE");
        }
        return response(known).toByteArray();
    }

    private byte[] presencesOf(ServiceCall call, XmppBulkPresenceRequest request) {
        return XmppBulkPresenceResponse.newBuilder()
                .addAllPresence(
                        xmpp()
                                .presences(
                                        call.app().project(),
                                        request.getUserList(),
                                        sender(request.hasSender(), request.getSender()))
                                .stream()
                                .map(XmppApi::response)
                                .toList())
                .build()
                .toByteArray();
    }

    private static XmppPresenceResponse response(ContactPresence known) {
        XmppPresenceResponse.Builder response =
                XmppPresenceResponse.newBuilder().setIsAvailable(false).setValid(true);
        return switch (known) {
            case ContactPresence.Invalid _ -> response.setValid(false).build();
            case ContactPresence.Unavailable _ -> response.build();
            case ContactPresence.Available(ContactPresence.Show show) ->
                    response.setIsAvailable(true).setShow(show(show)).build();
        };
    }

    private static XmppPresenceResponse.Show show(ContactPresence.Show show) {
        return switch (show) {
            case NORMAL -> XmppPresenceResponse.Show.NORMAL;
            case AWAY -> XmppPresenceResponse.Show.AWAY;
            case DO_NOT_DISTURB -> XmppPresenceResponse.Show.DO_NOT_DISTURB;
            case CHAT -> XmppPresenceResponse.Show.CHAT;
            case EXTENDED_AWAY -> XmppPresenceResponse.Show.EXTENDED_AWAY;
        };
    }

    private static Optional<String> sender(boolean named, String sender) {
        return named && !sender.isEmpty() ? Optional.of(sender) : Optional.empty();
    }

    /** As in App Engine's enumeration of errors. */
    private static int code(XmppProblem.Reason reason) {
        return switch (reason) {
            case INVALID_JID -> 2;
            case NO_BODY -> 3;
            case INVALID_XML -> 4;
            case INVALID_TYPE -> 5;
            case INVALID_SHOW -> 6;
            case EXCEEDED_MAX_SIZE -> 7;
        };
    }
}
