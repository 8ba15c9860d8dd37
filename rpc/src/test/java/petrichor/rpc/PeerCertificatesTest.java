package petrichor.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.handler.ssl.SslContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;

/** Mutual TLS between servers, over real sockets. */
class PeerCertificatesTest {
    private static final int DAYS = 30;

    /** Certificates that take a process each are created once. */
    @TempDir private static Path made;

    private static CertificateAuthority authority;
    private static CertificateAuthority stranger;
    private static CertificateAuthority.Issued first;
    private static CertificateAuthority.Issued second;
    private static CertificateAuthority.Issued strange;

    @TempDir private Path folder;

    @BeforeAll
    static void create() {
        authority = CertificateAuthority.openOrCreate(made.resolve("authority"), DAYS);
        stranger = CertificateAuthority.openOrCreate(made.resolve("stranger"), DAYS);
        first = authority.issue("first", DAYS);
        second = authority.issue("second", DAYS);
        strange = stranger.issue("strange", DAYS);
    }

    /** Copies the files for one server. */
    private PeerCertificates.Files install(
            String server, CertificateAuthority.Issued issued, Path... authorities)
            throws Exception {
        Path own = Files.createDirectories(folder.resolve("server-" + server));
        Path key = own.resolve("key.pem");
        Path certificate = own.resolve("certificate.pem");
        Path trusted = own.resolve("authorities.pem");
        Files.copy(issued.key(), key, StandardCopyOption.REPLACE_EXISTING);
        Files.copy(issued.certificate(), certificate, StandardCopyOption.REPLACE_EXISTING);
        StringBuilder all = new StringBuilder();
        for (Path one : authorities) {
            all.append(Files.readString(one));
        }
        Files.writeString(trusted, all);
        return new PeerCertificates.Files(certificate, key, trusted);
    }

    private static PeerAuthentication with(PeerCertificates certificates) {
        return new PeerAuthentication(Optional.empty(), Optional.of(certificates));
    }

    private PeerCertificates one() throws Exception {
        return PeerCertificates.read(install("one", first, authority.certificate()));
    }

    private PeerCertificates two() throws Exception {
        return PeerCertificates.read(install("two", second, authority.certificate()));
    }

    /** Trusts the authority, but has a certificate of another one. */
    private PeerCertificates strange() throws Exception {
        return PeerCertificates.read(
                install("strange", strange, stranger.certificate(), authority.certificate()));
    }

    private static Reply ask(PeerServer other, PeerAuthentication mine, boolean large)
            throws Exception {
        try (PeerChannels channels = new PeerChannels(mine, ProtocolVersions.SUPPORTED)) {
            return channels.call(other.peer(), large ? PeerCall.large("a") : new PeerCall("a"))
                    .get(60, TimeUnit.SECONDS);
        }
    }

    private static PeerServer start(PeerCertificates certificates) throws Exception {
        return PeerServer.start(with(certificates), ProtocolVersions.SUPPORTED);
    }

    @Test
    void serversOfOneAuthorityConnect() throws Exception {
        try (PeerServer other = start(one())) {
            PeerAuthentication mine = with(two());
            assertThat(ask(other, mine, false)).isInstanceOf(Reply.Answer.class);
            assertThat(ask(other, mine, true)).isInstanceOf(Reply.Answer.class);
        }
    }

    @Test
    void aServerWithoutAValidCertificateIsRefusedBeforeAnyWork() throws Exception {
        try (PeerServer other = start(one())) {
            PeerAuthentication untrusted = with(strange());
            for (boolean large : new boolean[] {false, true}) {
                assertThat(ask(other, untrusted, large))
                        .as("of another authority")
                        .isNotInstanceOf(Reply.Answer.class);
                assertThat(ask(other, PeerAuthentication.NONE, large))
                        .as("in clear text")
                        .isNotInstanceOf(Reply.Answer.class);
            }
            assertThat(other.traces()).as("calls decoded").isEmpty();
        }
    }

    @Test
    void aServerOfAnotherAuthorityIsRefusedWithTheReason() throws Exception {
        try (PeerServer other = start(strange())) {
            assertThat(ask(other, with(one()), false))
                    .isInstanceOfSatisfying(
                            Reply.NotDone.class,
                            no -> assertThat(no.why()).contains("TLS with", "cluster.authority"));
            assertThat(other.traces()).as("calls decoded").isEmpty();
        }
    }

    @Test
    void aCertificateForAnotherPurposeIsRefused() throws Exception {
        CertificateAuthority.Issued client = authority.issue("client", DAYS, "client.example");
        assertThatThrownBy(
                        () ->
                                PeerCertificates.read(
                                        install("client", client, authority.certificate())))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining(PeerCertificates.NAME);
        try (PeerServer other = start(one())) {
            assertThat(TlsClient.call(other.peer(), client, authority.certificate()))
                    .isNotEqualTo("a done");
            assertThat(TlsClient.call(other.peer(), second, authority.certificate()))
                    .isEqualTo("a done");
            assertThat(other.traces()).as("calls decoded").hasSize(1);
        }
    }

    @Test
    void renewedFilesApplyToNewConnectionsWithoutARestart() throws Exception {
        PeerCertificates one = one();
        PeerCertificates two = two();
        try (PeerServer other = start(one);
                PeerChannels kept = new PeerChannels(with(two), ProtocolVersions.SUPPORTED)) {
            assertThat(kept.call(other.peer(), new PeerCall("a")).get(60, TimeUnit.SECONDS))
                    .isInstanceOf(Reply.Answer.class);
            CertificateAuthority next =
                    CertificateAuthority.openOrCreate(folder.resolve("next"), DAYS);
            // First both trust both authorities, then both have new certificates, then both trust
            // only the new one.
            CertificateAuthority.Issued newOne = next.issue("one", DAYS);
            CertificateAuthority.Issued newTwo = next.issue("two", DAYS);
            Path[] both = {authority.certificate(), next.certificate()};
            install("one", first, both);
            install("two", second, both);
            one.renew();
            two.renew();
            install("one", newOne, both);
            one.renew();
            assertThat(ask(other, with(two), false)).isInstanceOf(Reply.Answer.class);
            install("two", newTwo, next.certificate());
            two.renew();
            install("one", newOne, next.certificate());
            one.renew();
            assertThat(ask(other, with(two), false)).isInstanceOf(Reply.Answer.class);
            PeerCertificates former = PeerCertificates.read(install("former", second, both));
            assertThat(ask(other, with(former), false))
                    .as("with a certificate of the former authority")
                    .isNotInstanceOf(Reply.Answer.class);
            assertThat(kept.call(other.peer(), new PeerCall("a")).get(60, TimeUnit.SECONDS))
                    .as("on the connection from before")
                    .isInstanceOf(Reply.Answer.class);
        }
    }

    /** The sessions belong to the context, including those that peers keep as tickets. */
    @Test
    void aRenewalForgetsTheSessionsThatPeersCouldResume() throws Exception {
        PeerCertificates one = one();
        SslContext before = one.accepting();
        assertThat(one.accepting()).isSameAs(before);
        one.renew();
        assertThat(one.accepting().sessionContext()).isNotSameAs(before.sessionContext());
    }

    @Test
    void unusableFilesAreRefusedAndTheOldOnesStay() throws Exception {
        PeerCertificates one = one();
        try (PeerServer other = start(one)) {
            Files.writeString(one.files().key(), "no key");
            assertThatThrownBy(one::renew).hasMessageContaining("key.pem");
            install("one", strange, authority.certificate());
            assertThatThrownBy(one::renew).hasMessageContaining("none of the authorities");
            assertThat(ask(other, with(two()), false)).isInstanceOf(Reply.Answer.class);
        }
    }

    @Test
    void keysAreReadableByTheirOwnerOnly() throws Exception {
        for (Path key : new Path[] {first.key(), authority.key()}) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key)))
                    .isEqualTo("rw-------");
        }
        assertThatThrownBy(() -> authority.issue("../one", DAYS))
                .isInstanceOf(PetrichorException.class);
        assertThatThrownBy(() -> authority.issue("authority", DAYS))
                .isInstanceOf(PetrichorException.class);
    }

    @Test
    void anExistingAuthorityIsKept() throws Exception {
        byte[] before = Files.readAllBytes(authority.certificate());
        CertificateAuthority.openOrCreate(made.resolve("authority"), DAYS);
        assertThat(Files.readAllBytes(authority.certificate())).isEqualTo(before);
    }
}
