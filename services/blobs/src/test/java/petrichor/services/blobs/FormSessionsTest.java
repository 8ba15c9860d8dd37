package petrichor.services.blobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class FormSessionsTest {
    private static final FormSessions.Form FORM = new FormSessions.Form("/done", 10, 5, "b/c");
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Test
    void aSessionIsTakenOnceByItsProject() {
        try (BlobHome home = new BlobHome()) {
            FormSessions forms = home.blobs.forms();
            String id = forms.start("demo", FORM, MINUTE);
            assertThat(forms.start("demo", FORM, MINUTE)).isNotEqualTo(id);
            assertThat(forms.find("demo", id)).contains(FORM);
            assertThat(forms.take("other", id)).isEmpty();
            assertThat(forms.take("demo", id)).contains(FORM);
            assertThat(forms.take("demo", id)).isEmpty();
            assertThat(forms.find("demo", id)).isEmpty();
        }
    }

    @Test
    void anExpiredSessionIsNotTakenAndIsDeleted() {
        try (BlobHome home = new BlobHome()) {
            FormSessions forms = home.blobs.forms();
            var _ = home.blobs.buckets().create("demo", "bucket", false, "");
            String old = forms.start("demo", FORM, MINUTE);
            home.pass(MINUTE);
            String fresh = forms.start("demo", FORM, MINUTE);
            assertThat(forms.find("demo", old)).isEmpty();
            home.blobs.collector().collect();
            try (var snapshot = home.databases.open("demo").snapshot()) {
                assertThat(snapshot.get(BlobRows.form(old))).isNull();
            }
            assertThat(forms.take("demo", fresh)).contains(FORM);
        }
    }
}
