parent.called("later");
