use inhouse::Control;
use inhouse::control::outgoing::{ContextDetail, GetContextUsage};
use inhouse::message::{Message, SystemMessage};
use inhouse::options::PermissionMode;
use ratatui_core::text::Line;

/// The state of the session that is shown below the prompt.
pub(crate) struct Status {
    model: Option<String>,
    mode: PermissionMode,
    cost: f64,
    /// The used part of the context window, in percent.
    context: Option<f64>,
}

impl Status {
    pub(crate) async fn of(control: &Control) -> Self {
        let mode = control.initialization().current_permission_mode.clone();
        let mut status = Self {
            model: None,
            mode: mode.unwrap_or(PermissionMode::Default),
            cost: 0.0,
            context: None,
        };
        status.measure(control).await;
        status
    }

    /// Takes over what a message says about the session.
    pub(crate) fn observe(&mut self, message: &Message) {
        match message {
            Message::System(SystemMessage::Init(init)) => {
                self.model = init.model.clone().or(self.model.take());
                self.set_mode(init.permission_mode.as_ref());
            }
            Message::System(SystemMessage::Status(status)) => {
                self.set_mode(status.permission_mode.as_ref());
            }
            // The cost of the session so far, not of the turn.
            Message::Result(result) => self.cost = result.total_cost_usd.unwrap_or(self.cost),
            _ => {}
        }
    }

    /// Asks the CLI for the use of the context window. The numbers are estimates, which cost no API call.
    pub(crate) async fn measure(&mut self, control: &Control) {
        let request = GetContextUsage::new().detail(ContextDetail::Summary);
        if let Ok(usage) = control.request(request).await {
            self.context = Some(usage.percentage);
            self.model = usage.model.or(self.model.take());
        }
    }

    /// Changes the permission mode of the session to the next one.
    pub(crate) async fn next_mode(&mut self, control: &Control) -> inhouse::Result<()> {
        let next = match self.mode {
            PermissionMode::Default => PermissionMode::AcceptEdits,
            PermissionMode::AcceptEdits => PermissionMode::Plan,
            _ => PermissionMode::Default,
        };
        control.set_permission_mode(next.clone()).await?;
        self.mode = next;
        Ok(())
    }

    pub(crate) fn line(&self) -> Line<'static> {
        let model = self.model.as_deref().unwrap_or("default model");
        let context = self
            .context
            .map(|percent| format!(" · context {percent:.0} %"));
        let context = context.unwrap_or_default();
        let (cost, mode) = (self.cost, &self.mode);
        Line::raw(format!(
            "  {model} · ${cost:.4}{context} · mode {mode} (Shift-Tab changes it)"
        ))
    }

    fn set_mode(&mut self, mode: Option<&PermissionMode>) {
        if let Some(mode) = mode {
            self.mode = mode.clone();
        }
    }
}
