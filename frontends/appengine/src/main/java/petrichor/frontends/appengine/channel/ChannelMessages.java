package petrichor.frontends.appengine.channel;

import com.google.protobuf.UnsafeByteOperations;
import java.util.List;
import petrichor.frontends.appengine.wire.ChannelsPolled;
import petrichor.frontends.appengine.wire.ConnectionsRegistered;
import petrichor.frontends.appengine.wire.PollChannels;
import petrichor.frontends.appengine.wire.RegisterConnections;
import petrichor.frontends.appengine.wire.ReportConnections;
import petrichor.services.channels.ChannelOwner.Closing;
import petrichor.services.channels.ChannelOwner.Delivery;
import petrichor.services.channels.ChannelOwner.End;
import petrichor.services.channels.ChannelOwner.Opening;
import petrichor.services.channels.ChannelOwner.Polled;
import petrichor.services.channels.ChannelOwner.Receipt;
import petrichor.services.channels.ChannelOwner.Refusal;
import petrichor.services.channels.ChannelOwner.Registered;
import petrichor.services.channels.ChannelOwner.Report;

/** The messages of {@link ChannelCalls}, on the wire and in the service. */
final class ChannelMessages {
    private ChannelMessages() {}

    static RegisterConnections encode(List<Opening> openings) {
        RegisterConnections.Builder message = RegisterConnections.newBuilder();
        for (Opening opening : openings) {
            message.addOpeningsBuilder()
                    .setConnection(opening.connection())
                    .setClientId(opening.clientId())
                    .setExpiresMicros(opening.expiresMicros())
                    .setFirst(opening.first());
        }
        return message.build();
    }

    static List<Opening> decode(RegisterConnections message) {
        return message.getOpeningsList().stream()
                .map(
                        opening ->
                                new Opening(
                                        opening.getConnection(),
                                        opening.getClientId(),
                                        opening.getExpiresMicros(),
                                        opening.getFirst()))
                .toList();
    }

    static ConnectionsRegistered encode(Registered registered) {
        ConnectionsRegistered.Builder message =
                ConnectionsRegistered.newBuilder().setRegistration(registered.registration());
        for (Refusal refusal : registered.refused()) {
            message.addRefusedBuilder()
                    .setConnection(refusal.connection())
                    .setReplaced(refusal.reason() == End.REPLACED);
        }
        return message.build();
    }

    static Registered decode(ConnectionsRegistered message) {
        return new Registered(
                message.getRegistration(),
                message.getRefusedList().stream()
                        .map(
                                refusal ->
                                        new Refusal(
                                                refusal.getConnection(),
                                                refusal.getReplaced() ? End.REPLACED : End.FULL))
                        .toList());
    }

    static PollChannels poll(long registration) {
        return PollChannels.newBuilder().setRegistration(registration).build();
    }

    static ChannelsPolled encode(Polled polled) {
        ChannelsPolled.Builder message =
                ChannelsPolled.newBuilder()
                        .setRegistered(polled.registered())
                        .addAllReplaced(polled.replaced());
        for (Delivery delivery : polled.deliveries()) {
            message.addDeliveriesBuilder()
                    .setConnection(delivery.connection())
                    .setSequence(delivery.sequence())
                    .setRestarted(delivery.restarted())
                    .setMessage(UnsafeByteOperations.unsafeWrap(delivery.message()));
        }
        return message.build();
    }

    static Polled decode(ChannelsPolled message) {
        return new Polled(
                message.getRegistered(),
                message.getDeliveriesList().stream()
                        .map(
                                delivery ->
                                        new Delivery(
                                                delivery.getConnection(),
                                                delivery.getSequence(),
                                                delivery.getRestarted(),
                                                delivery.getMessage().toByteArray()))
                        .toList(),
                List.copyOf(message.getReplacedList()));
    }

    static ReportConnections encode(Report report) {
        ReportConnections.Builder message =
                ReportConnections.newBuilder().setRegistration(report.registration());
        for (Receipt receipt : report.receipts()) {
            message.addReceiptsBuilder()
                    .setConnection(receipt.connection())
                    .setWritten(receipt.written())
                    .setResendAfter(receipt.resendAfter());
        }
        for (Closing closing : report.closings()) {
            message.addClosingsBuilder()
                    .setConnection(closing.connection())
                    .setClean(closing.clean());
        }
        return message.build();
    }

    static Report decode(ReportConnections message) {
        return new Report(
                message.getRegistration(),
                message.getReceiptsList().stream()
                        .map(
                                receipt ->
                                        new Receipt(
                                                receipt.getConnection(),
                                                receipt.getWritten(),
                                                receipt.getResendAfter()))
                        .toList(),
                message.getClosingsList().stream()
                        .map(closing -> new Closing(closing.getConnection(), closing.getClean()))
                        .toList());
    }
}
